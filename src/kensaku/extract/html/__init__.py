"""HTML: bytes to a tree, metadata and Markdown."""
