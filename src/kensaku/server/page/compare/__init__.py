"""The tab Compare: one question, several routes side by side."""
