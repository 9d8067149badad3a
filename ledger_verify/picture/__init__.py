"""A domain as a picture: read tools, the ledger, rules and write tools, and what leads to what."""
