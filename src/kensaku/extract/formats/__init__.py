"""PDF, Office, XML and plain text."""
