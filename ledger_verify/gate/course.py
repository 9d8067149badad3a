"""How far an explanation has come: what it knows, and what stays open when its time is over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.judge import Standing
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.policy.rules import Otherwise, Rule

_MOST_NAMES = 5

_READS = "which reads would settle it"
_OPENING = "whether a read would open the way"
_WORDS = "what the user would have to say"


@dataclass
class Course:
    """The course of one explanation: how the rules stand so far, and what is being looked for."""

    proposal: Proposal
    standings: list[Standing] = field(default_factory=list)
    decided: Verdict | None = None
    _step: str = "what it would take"

    def settles(self) -> None:
        """It is asked how rules stand over all that can still be observed."""
        self._step = self._settling()

    def reads(self) -> None:
        """Reads are looked for that matter."""
        self._step = _READS

    def opens(self) -> None:
        """Reads are looked for that have to be made at all."""
        self._step = _OPENING

    def asks(self) -> None:
        """It is asked whether the user could say what is needed."""
        self._step = _WORDS

    def repairs(self) -> None:
        """Other values of the arguments are looked for."""
        names = _listed(f"`{name}`" for name in self.proposal.repairable)
        self._step = f"whether other values of {names} would be allowed" if names else _OPENING

    def decides(self, verdict: Verdict) -> None:
        """The verdict is found, and is yet to be put into words."""
        self.decided, self._step = verdict, "what exactly to say of it"

    @property
    def decision(self) -> Decision:
        """What is known to be right: BLOCK where a violated rule demands it, REVISE otherwise."""
        blocks = any(s.violated and s.rule.otherwise is Otherwise.BLOCK for s in self.standings)
        return Decision.BLOCK if blocks else Decision.REVISE

    @property
    def unjudged(self) -> Sequence[Rule]:
        """The rules of which it is not known how they stand."""
        return self.proposal.rules[len(self.standings) :]

    @property
    def all_standings(self) -> list[Standing]:
        """All rules, UNKNOWN where nobody has looked."""
        unjudged = (Standing(rule, Truth.UNKNOWN, frozenset()) for rule in self.unjudged)
        return [*self.standings, *unjudged]

    def reason(self, *, unsettled: bool = False) -> str:
        """That it was cut off, and what is open: how rules stand, where they are `unsettled`."""
        if unsettled:
            open_ = self._settling()
        elif self.unjudged:
            names = _listed(f"`{rule.id}`" for rule in self.unjudged)
            open_ = f"whether {names} {'holds' if len(self.unjudged) == 1 else 'hold'}"
        else:
            open_ = self._step
        limit = self.proposal.deadline.limit_ms
        return f"the explanation was cut off by its limit of {limit} ms; open: {open_}"

    @property
    def next_step(self) -> str:
        """What to do about it, where no rule is known to be violated."""
        if self.decided is not None or any(s.violated for s in self.standings):
            return ""
        return "Read what these rules need, or make a smaller call, before calling again."

    def _settling(self) -> str:
        return f"whether {_named(self._undetermined())} will hold"

    def _undetermined(self) -> list[Rule]:
        return [s.rule for s in self.standings if s.undetermined]


def _named(rules: Iterable[Rule]) -> str:
    return _listed(f"`{rule.id}`" for rule in rules)


def _listed(texts: Iterable[str]) -> str:
    shown = list(texts)
    more = len(shown) - _MOST_NAMES
    return ", ".join(shown[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
