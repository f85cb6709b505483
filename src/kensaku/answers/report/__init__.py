"""The report of a research run: what is asked for, its state, its text, its files."""
