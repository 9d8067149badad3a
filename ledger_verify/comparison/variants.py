"""Variants of a case that no model shows: less evidence, and values that only one schema checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ledger_verify.comparison.sides import Pair
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.paths import parse_path
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.relations import undeclared

_MAX_DROPPED = 6


def variants(pair: Pair, case: Case) -> Iterator[Case]:
    """An allowed call with less evidence, and with evidence that only one schema looks at."""
    first, second = pair.allowing.domain, pair.other.domain
    paths = list(case.ledger)[:_MAX_DROPPED]
    for chosen in range(1, 2 ** len(paths)):
        dropped = {path for i, path in enumerate(paths) if chosen >> i & 1}
        rest = {path: r for path, r in case.ledger.items() if path not in dropped}
        yield replace(case, ledger=rest)
    for path, record in case.ledger.items():
        pattern = pattern_of(first, path)
        if pattern is None or pattern not in second.ledger or not isinstance(record, dict):
            continue
        types = first.ledger[pattern].record, second.ledger[pattern].record
        for field in undeclared(*types):
            for value in ("?", 0):
                changed: dict[str, Any] = {**record, field: value}
                yield replace(case, ledger={**case.ledger, path: changed})


def pattern_of(domain: Domain, path: str) -> str | None:
    """The pattern of a canonical path, None if the ledger has none for it."""
    try:
        return parse_path(path, domain)[0]
    except InputError:
        return None
