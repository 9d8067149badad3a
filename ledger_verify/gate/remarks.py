"""What is said of reads that were made, or that do not help: tries, results that were kept out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.gate.filling import arguments_json
from ledger_verify.gate.messages import call_text
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.verdict import ReadCall
from ledger_verify.ledger.attempts import Attempt, Frozen, frozen
from ledger_verify.ledger.paths import path_text
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool

Place = tuple[str, tuple[Any, ...]]
"""A record: its pattern and its keys, None for each that another read has to tell."""


@dataclass(frozen=True)
class Remarks:
    """Remarks on the reads of records, by record, each once and in order."""

    proposal: Proposal
    _by_place: dict[Place, dict[str, None]] = field(default_factory=dict)
    _rejected: set[tuple[Place, Frozen]] = field(default_factory=set)

    def of(self, place: Place) -> Iterable[str]:
        """The remarks on one record."""
        return self._by_place.get(place, ())

    def add(self, place: Place, text: str) -> None:
        """One more, without the full stop at its end."""
        self._by_place.setdefault(place, {}).setdefault(text.rstrip("."))

    def rejections(self, place: Place) -> None:
        """Tell of results that showed the record and were not taken as evidence."""
        domain = self.proposal.domain
        for (pattern, keys), rejection in self.proposal.ledger.rejected.items():
            if pattern == place[0] and _may_be(keys, place[1]):
                tool = domain.tools[rejection.tool]
                self._rejected.add((place, frozen(tool.name, rejection.arguments)))
                call = ReadCall(tool.name, arguments_json(tool, rejection.arguments, domain.zone))
                path = path_text(domain, pattern, keys)
                self.add(place, f"{call_text(call)} showed `{path}`, but what it showed was "
                             f"not taken as evidence: {rejection.reason}")  # fmt: skip

    def tries(self, tool: Tool, typed: Mapping[str, Any], place: Place) -> bool:
        """Tell of the tries of a read whose other arguments are open; whether they settle it."""
        settled = False
        if any(self.proposal.ledger.holding(*place)):
            return False
        for attempt in self.proposal.ledger.tried.values():
            if attempt.tool != tool.name or place[0] in attempt.passed_over:
                continue
            if all(attempt.arguments.get(name) == value for name, value in typed.items()):
                zone = self.proposal.domain.zone
                call = ReadCall(tool.name, arguments_json(tool, attempt.arguments, zone))
                self.attempt(place, call, attempt)
                settled = settled or not attempt.may_be_repeated
        return settled and not tool.asks and tool.identifies is None

    def attempt(self, place: Place, call: ReadCall, attempt: Attempt) -> None:
        """Tell of a read that was made and did not bring the record, and what it said."""
        path = place_text(self.proposal.domain, *place)
        if not attempt.interrupted and not attempt.failed and self._is_rest(place):
            return  # it showed records there, and others may be missing
        answered = not attempt.interrupted and not attempt.failed
        if answered and (place, frozen(attempt.tool, attempt.arguments)) in self._rejected:
            return  # what it showed is told already, and why that did not count
        if attempt.interrupted:
            times = "once" if attempt.interrupted == 1 else f"{attempt.interrupted} times"
            text = f"was tried {times} without an answer"
        elif None in place[1] and not attempt.failed:
            # it may have shown others: which one is meant is not known
            said = f"said: {attempt.said}; " if attempt.said else ""
            text = f"was made: {said}which `{path}` is meant is not known yet"
        elif attempt.said:
            failed = "failed and said" if attempt.failed else f"did not show `{path}` and said"
            text = f"{failed}: {attempt.said}"
        else:
            text = "failed" if attempt.failed else f"did not show `{path}`"
        self.add(place, f"{call_text(call)} {text}")

    def _is_rest(self, place: Place) -> bool:
        """Whether what is missing are all records there that were not shown."""
        doubtful = self.proposal.ledger.doubtful
        return None in place[1] and any(page for page in doubtful.pages(*place))


def place_text(domain: Domain, pattern: str, keys: tuple[Any, ...]) -> str:
    """The canonical path of a record, or the name of a history."""
    return path_text(domain, pattern, keys) if pattern in domain.ledger else pattern


def _may_be(keys: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(keys, wanted, strict=True))
