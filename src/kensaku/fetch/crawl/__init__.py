"""Crawl a site: which links to follow, in which order, how far."""
