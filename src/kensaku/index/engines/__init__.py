"""Where passages are stored and searched: Qdrant Edge in the process, or a Qdrant server."""
