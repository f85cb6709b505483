"""Settings: one table, read from file, environment and arguments."""
