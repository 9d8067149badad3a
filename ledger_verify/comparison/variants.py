"""Variants of a case that no model shows: less evidence, and what only one schema checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ledger_verify.comparison.sides import Pair
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.types import ListType, MapType, NullableType, RecordType, Type
from ledger_verify.ledger.paths import parse_path
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.session_facts import shared_facts
from ledger_verify.schema.relations import undeclared

_MAX_DROPPED = 6
_EXTRA = "extra"


def variants(pair: Pair, case: Case) -> Iterator[Case]:
    """An allowed call with less evidence, and with values that only one schema looks at."""
    first, second = pair.allowing.domain, pair.other.domain
    paths = list(case.ledger)[:_MAX_DROPPED]
    for chosen in range(1, 2 ** len(paths)):
        dropped = [path for i, path in enumerate(paths) if chosen >> i & 1]
        rest = case
        for path in dropped:
            rest = rest.without_record(path)
        yield rest
    for path, record in case.ledger.items():
        pattern = pattern_of(first, path)
        if pattern is None or pattern not in second.ledger or not isinstance(record, dict):
            continue
        types = first.ledger[pattern].record, second.ledger[pattern].record
        for field in undeclared(*types):
            for value in ("?", 0):
                changed: dict[str, Any] = {**record, field: value}
                yield replace(case, ledger={**case.ledger, path: changed})
        for changed in _extended(record, *types):
            yield replace(case, ledger={**case.ledger, path: changed})
    for name, given, wanted in shared_facts(first.session, second.session):
        for changed in _extended(case.facts.get(name), given.type, wanted.type):
            yield replace(case, facts={**case.facts, name: changed})
    if case.tool in first.tools and case.tool in second.tools:
        declared = first.tools[case.tool].arguments, second.tools[case.tool].arguments
        for changed in _extended(case.arguments, *declared):
            yield replace(case, arguments=changed)


def _extended(value: Any, own: Type, other: Type) -> Iterator[Any]:
    """The value with a field that neither type declares, where only `other` refuses such."""
    match value, own, other:
        case None, _, _:
            return
        case (_, NullableType(of=of), _):
            yield from _extended(value, of, other)
        case (_, _, NullableType(of=of)):
            yield from _extended(value, own, of)
        case ([first, *rest], ListType(item=a), ListType(item=b)):
            yield from ([inner, *rest] for inner in _extended(first, a, b))
        case (Mapping(), MapType(value=a), MapType(value=b)):
            for key in list(value)[:1]:
                yield from ({**value, key: inner} for inner in _extended(value[key], a, b))
        case (Mapping(), RecordType(), RecordType()):
            if other.closed and not own.closed and _EXTRA not in {*own.by_name, *other.by_name}:
                yield {**value, _EXTRA: 0}
            for key in (key for key in value if key in own.by_name and key in other.by_name):
                fields = own.by_name[key].type, other.by_name[key].type
                yield from ({**value, key: inner} for inner in _extended(value[key], *fields))


def pattern_of(domain: Domain, path: str) -> str | None:
    """The pattern of a canonical path, None if the ledger has none for it."""
    try:
        return parse_path(path, domain)[0]
    except InputError:
        return None
