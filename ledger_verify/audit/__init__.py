"""Recorded conversations: reading them, and replaying them through the gate."""
