"""The tests mirror `src/kensaku`: what covers `search/cache.py` is `search/test_cache.py`."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
