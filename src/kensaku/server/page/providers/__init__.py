"""The tab Providers: who can be asked, and how they are doing."""
