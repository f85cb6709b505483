"""The page's own API, which programs may use, too: one noun a file, listed in `routes.py`."""
