"""Pages that scripts make: a browser whose only network is our guarded transport."""
