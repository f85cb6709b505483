"""Kensaku as people install it: `run.py` has the table. Slow, and not part of the ordinary tests."""
