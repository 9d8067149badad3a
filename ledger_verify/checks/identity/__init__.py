"""Whom a conversation is with, and how an agent could choose that itself."""
