"""The frameworks that live in environments of their own, each driven the same way.

A module here says how one framework is used: `DISTRIBUTION`, `words(tool)` and `call(tool, …)` for
the parity test, `ask(tool, model)` for a run of an agent, and `facts(tool, …)` where the framework
has a place for data beside the text. `drive.py` runs the scenes, `run.py` all the frameworks.
"""
