"""What a domain declares of its tools' results that is therefore no sign of a failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ledger_verify.lang.environment import KEY
from ledger_verify.lang.types import RecordType, StringType, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool


@dataclass(frozen=True)
class Declared:
    """Of what one tool returns: the names at the top, and the texts that are its only values.

    `items` are the names in the items of what is a list.
    """

    fields: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()


def declared(domain: Domain, tool: Tool) -> Declared:
    """What the domain declares of what the tool returns."""
    fields, texts, items = (frozenset(of(domain, tool)) for of in (_fields, _texts, _items))
    return Declared(fields, texts, items)


def _fields(domain: Domain, tool: Tool) -> Iterator[str]:
    for seen in tool.observes:
        record = strip_null(domain.ledger[seen.pattern].record)
        if seen.source:
            yield seen.source[0]
        elif seen.text is None and isinstance(record, RecordType):
            yield from record.by_name


def _items(domain: Domain, tool: Tool) -> Iterator[str]:
    for seen in tool.observes:
        names = [step for step in seen.source if step != KEY]
        record = strip_null(domain.ledger[seen.pattern].record)
        if names and seen.source[0] == KEY:
            yield names[0]
        elif seen.source and not names and isinstance(record, RecordType):
            yield from record.by_name


def _texts(domain: Domain, tool: Tool) -> Iterator[str]:
    for seen in tool.observes:
        record = strip_null(domain.ledger[seen.pattern].record)
        whole = seen.text is None and not seen.source
        if whole and isinstance(record, StringType) and record.enum:
            yield from record.enum
