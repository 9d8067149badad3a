"""The ledger: observed records at canonical paths, and which of them went stale."""
