"""The formats that bulk indexing reads."""
