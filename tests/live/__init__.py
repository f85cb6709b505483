"""One real search with each provider that has a key: `make test-live`. No other test does this.

The tests in this folder test the machinery, on loopback.
"""
