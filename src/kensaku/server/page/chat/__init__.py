"""The tab Chat: conversations with the assistant."""
