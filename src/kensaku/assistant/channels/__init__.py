"""Channels: where people meet the assistant. One file each; a channel renders events."""
