"""Sources become words: one engine, three callers.

    plan → gather → weigh → write → check

`answer.py` makes one search, `ask.py` has a person in the loop, `research.py` searches in rounds
and writes a report (`report/`). `model.py` is the one door to a model, `prompts.py` all that a
model is told, `journal.py` what keeps a step from being done twice.
"""
