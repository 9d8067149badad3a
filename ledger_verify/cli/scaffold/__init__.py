"""A first domain from a list of tools: what `init` reads, guesses and writes."""
