"""The tab Keys: who may ask this server, and how much."""
