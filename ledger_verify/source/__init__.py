"""Text files that people and programs wrote: JSON, and the place of everything in it."""
