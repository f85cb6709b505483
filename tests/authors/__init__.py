"""The five specifications in the hands of their authors: `make test-authors`.

rows.py        the table: one author a row
run.py         environment from the wheel, beside his pins → our tests, the driver, his tests
NAME/drive.py  uses our surface as his application does, with his modules
NAME/swap.py   puts our surface in the place of his, for his own tests (a plug-in of pytest)
"""
