"""Agent loops around the gate, one a file. `chat` is the seam that they share."""
