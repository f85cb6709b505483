"""Which blocks of a page are its main content: features and a small model."""
