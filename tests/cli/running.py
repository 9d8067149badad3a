"""How a command was run, and how it ended."""

from collections.abc import Callable
from dataclasses import dataclass

MAIN = "from ledger_verify.cli.app import main; main()"

# what these find is no matter of taste, so that a test's domain stays clean when checks are added
SHAPE = ("--select", "dead_action", "--select", "vacuous_rule")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    stdout: str
    stderr: str


Run = Callable[..., Done]
