"""The page: one view a file, templates and static files beside them; `routes.py` is the table."""
