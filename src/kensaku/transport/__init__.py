"""The HTTP client, and its connections per event loop."""
