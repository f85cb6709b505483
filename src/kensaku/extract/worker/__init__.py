"""Worker processes that parse, and can be killed."""
