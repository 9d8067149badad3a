"""What a domain declares of its tools' results that is therefore no sign of a failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ledger_verify.lang.types import RecordType, StringType, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool


@dataclass(frozen=True)
class Declared:
    """Of what one tool returns: the names at the top, and the texts that are its only values."""

    fields: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


def declared(domain: Domain, tool: Tool) -> Declared:
    """What the domain declares of what the tool returns."""
    return Declared(frozenset(_fields(domain, tool)), frozenset(_texts(domain, tool)))


def _fields(domain: Domain, tool: Tool) -> Iterator[str]:
    for seen in tool.observes:
        record = strip_null(domain.ledger[seen.pattern].record)
        if seen.source:
            yield seen.source[0]
        elif seen.text is None and isinstance(record, RecordType):
            yield from record.by_name


def _texts(domain: Domain, tool: Tool) -> Iterator[str]:
    for seen in tool.observes:
        record = strip_null(domain.ledger[seen.pattern].record)
        whole = seen.text is None and not seen.source
        if whole and isinstance(record, StringType) and record.enum:
            yield from record.enum
