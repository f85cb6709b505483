"""The page: a folder for each tab, with its view, its API, its templates and its script.

A new tab is a folder with a `view.py` (`show`, `ENDPOINTS`) and a template of its name, and a row
in `tabs.py`.
"""
