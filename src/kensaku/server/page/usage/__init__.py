"""The tab Usage: what went through the server."""
