"""The tab Search: a box, what was found, who was asked."""
