"""Running checks: known answers, several processes, one report."""
