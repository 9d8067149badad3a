"""A proposed call on an observed ledger, and the worlds that it may be in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.lang.environment import SESSION
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Reach
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.logic import Bool
from ledger_verify.solver.query import Limits
from ledger_verify.solver.shapes import Known, RecordShape, Sym, known
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.worlds import LedgerWorld, ObservedLedger


@dataclass(frozen=True)
class Situation:
    """A proposed call on an observed ledger. `arguments` are typed, `now_us` is the present."""

    domain: Domain
    tool: Tool
    ledger: ObservedLedger
    arguments: Mapping[str, Any]
    now_us: int
    limits: Limits = field(default_factory=lambda: Limits(lessons=0))

    def world(
        self,
        symbols: Symbols,
        *,
        free: Sequence[str] = (),
        reach: Reach | None = None,
        hopeful: bool = False,
    ) -> LedgerWorld:
        """The completions of the ledger, the `free` arguments symbolic."""
        args = known(self.arguments)
        if free:
            record = self.tool.arguments
            symbolic = {name: record.by_name[name] for name in free}

            def make(name: str) -> tuple[Bool, Sym]:
                if name in symbolic:
                    whole = symbols.make(record, "args")
                    assert isinstance(whole.shape, RecordShape)
                    return whole.shape.get(name)
                if name in self.arguments:
                    return True, known(self.arguments[name])
                return False, Sym(Known(None), gap=True)

            args = Sym(RecordShape(record, make))
        names = {
            "args": args,
            "now": known(self.now_us),
            "call": known({"tool": self.tool.name}),
            SESSION: known(self.ledger.facts),
        }
        return LedgerWorld(self.domain, symbols, names, self.ledger, reach=reach, hopeful=hopeful)
