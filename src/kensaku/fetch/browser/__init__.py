"""Render pages that need JavaScript, in a browser whose only network is the page transport."""
