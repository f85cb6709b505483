"""The one HTTP client, and what is kept for each event loop."""
