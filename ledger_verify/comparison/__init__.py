"""Two domains: the calls that only one of them allows."""
