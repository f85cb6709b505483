"""Text of other people: cleaned, dated, escaped. Pure functions."""
