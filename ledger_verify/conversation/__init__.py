"""Conversations between a user, an agent and its tools, read the same way live and from a log."""
