"""Jobs: durable, resumable, one tenant apart from the other."""
