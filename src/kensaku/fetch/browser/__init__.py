"""Pages that are made by scripts: a browser whose only network is the page transport."""
