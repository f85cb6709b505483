"""The tab Collections: what is in the local index."""
