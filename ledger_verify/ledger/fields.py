"""Which names in a tool's result are fields of what it returns, and so no signs of a failure."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.lang.types import RecordType, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool


def declared_fields(domain: Domain, tool: Tool) -> frozenset[str]:
    """The names that the domain declares at the top of what the tool returns."""
    return frozenset(_declared(domain, tool))


def _declared(domain: Domain, tool: Tool) -> Iterator[str]:
    for seen in tool.observes:
        record = strip_null(domain.ledger[seen.pattern].record)
        if seen.source:
            yield seen.source[0]
        elif seen.text is None and isinstance(record, RecordType):
            yield from record.by_name
