"""What a refusal says of records that the rules read and that do not exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.evaluate.kleene import Scope, evaluate, listed_without
from ledger_verify.gate.filling import arguments_json
from ledger_verify.gate.messages import call_text
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.verdict import ReadCall
from ledger_verify.ledger.absence import Listing
from ledger_verify.ledger.paths import path_text
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import MissingPath, Statement, Unlisted
from ledger_verify.policy.rules import Rule


@dataclass(frozen=True)
class _Noting:
    """A ledger that notes which records it is asked for and that do not exist."""

    ledger: Ledger
    absent: dict[MissingPath, Statement] = field(default_factory=dict)

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.ledger.facts

    def lookup(self, pattern: str, keys: tuple[Any, ...]) -> Any:
        found = self.ledger.lookup(pattern, keys)
        if isinstance(found, Unlisted):
            by = listed_without(found, self.ledger)
            if isinstance(by, Statement):
                self.absent[found.path] = by
        return found

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> Any:
        self.lookup(pattern, keys)
        return self.ledger.observed(pattern, keys, field)

    def observed_records(self, pattern: str) -> Any:
        return self.ledger.observed_records(pattern)

    def earlier_calls(self, name: str) -> Any:
        return self.ledger.earlier_calls(name)

    def messages(self) -> tuple[str, ...]:
        return self.ledger.messages()


def no_such(proposal: Proposal, rules: Sequence[Rule]) -> list[str]:
    """The records that do not exist and that the rules ask for, each with the read that tells."""
    if not proposal.ledger.absences.by_pattern:
        return []
    noting = _Noting(proposal.ledger)
    for rule in rules:
        evaluate(rule.holds, Scope(noting, proposal.scope.names))
    return [absence_text(proposal, path, by.source) for path, by in noting.absent.items()]


def absence_text(proposal: Proposal, path: MissingPath, listing: Listing) -> str:
    """That there is no such record, and how that is known."""
    domain = proposal.domain
    told = f"no such `{path_text(domain, path.pattern, path.keys)}`"
    if not listing.tool:
        return told
    arguments = arguments_json(domain.tools[listing.tool], listing.arguments, domain.zone)
    call = call_text(ReadCall(listing.tool, arguments))
    return f"{told}: the read {call} listed all and did not show it"
