"""Other people's clients for the services that we ask, each driven against the fake upstream.

A module here says how one client is used: `DISTRIBUTION`, and `search(base_url, reply)`, which asks
with everything that the client can send and returns what it read of that reply; where the client has
them, `search_keyless(base_url)` and `CHOICES`, the values that it allows. `drive.py` writes down what
arrived and what was read, `run.py` does so in an environment of its own (`make test-sdks`), and
`test_sdks.py` compares our provider with what was written down, in every run.
"""
