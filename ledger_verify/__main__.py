"""`python -m ledger_verify` is the command line."""

from ledger_verify.cli.app import main

main()
