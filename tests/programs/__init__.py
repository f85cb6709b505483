"""Programs that people run, unmodified, against `kensaku serve`: `make test-programs`.

One module is one program. It declares a `PROGRAM` and its checks; `run.py` does the rest.
"""
