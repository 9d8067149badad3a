"""What the evidence of a domain's rules depends on: one model behind the checks and the picture."""
