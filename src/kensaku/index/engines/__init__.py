"""Index engines: Qdrant Edge in a directory, or a Qdrant server."""
