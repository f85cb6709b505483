"""A site, page by page: which links to follow, in which order, how far."""
