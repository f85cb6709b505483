"""The tab Jobs: long work with its progress."""
