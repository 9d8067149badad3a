"""A counterexample as a story: the records that matter, the call, the moment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ledger_verify.cli.output import printable, table
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr, FieldOf, HasField, distinct
from ledger_verify.lang.types import ListType, MapType, RecordType, Type, strip_null
from ledger_verify.ledger.paths import parse_path
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.render import time_text

Row = tuple[str, str, str]


def story(case: Case, domain: Domain, predicates: Iterable[Expr]) -> Iterator[str]:
    """Lines about the case: a table of what the predicates read of its records, earlier calls.

    Fields that none of the predicates reads are left out; if none of a record is read, all stand.
    """
    read = {
        part.field_name
        for predicate in predicates
        for part in distinct(predicate)
        if isinstance(part, FieldOf | HasField)
    }
    rows = [row for path in case.ledger for row in _record_rows(case, domain, path, read)]
    if rows:
        yield from table(("path", "field", "value"), rows).splitlines()
    elif not case.history:
        yield "with nothing observed"
    for call in case.history:
        outcome = "ran" if call.ok else f"did not run ({call.verdict})"
        moment = time_text(call.time_us, False, domain.zone)
        yield f"earlier: {call_text(call.tool, call.arguments)} at {moment}: {outcome}"


def call_text(tool: str, arguments: Any) -> str:
    """A call as one line."""
    if not isinstance(arguments, dict):
        return printable(f"{tool} {_text(arguments)}")
    listed = ", ".join(f"{name}={_text(value)}" for name, value in arguments.items())
    return printable(f"{tool}({listed})")


def _record_rows(case: Case, domain: Domain, path: str, read: set[str]) -> Iterator[Row]:
    record = case.ledger[path]
    try:
        type_: Type | None = domain.ledger[parse_path(path, domain)[0]].record
    except InputError:
        type_ = None
    shown = path
    for place, value in _leaves(record, type_, read, ""):
        yield shown, place, value
        shown = ""


def _leaves(value: Any, type_: Type | None, read: set[str], place: str) -> Iterator[tuple[str, str]]:
    bare = None if type_ is None else strip_null(type_)
    match value:
        case dict() if value:
            types = dict.fromkeys(value, bare.value if isinstance(bare, MapType) else None)
            if isinstance(bare, RecordType):
                types = {k: bare.by_name[k].type if k in bare.by_name else None for k in value}
                wanted = [key for key in value if key in read or types[key] is None]
                types = {key: types[key] for key in wanted or value}
            for key, inner in types.items():
                below = f"{place}.{key}" if place else str(key)
                yield from _leaves(value[key], inner, read, below)
        case list() if any(isinstance(item, dict | list) for item in value):
            inner = bare.item if isinstance(bare, ListType) else None
            for index, item in enumerate(value):
                yield from _leaves(item, inner, read, f"{place}[{index}]")
        case _:
            yield place, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str) and value and value == value.strip() and value.isprintable():
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    return json.dumps(value, ensure_ascii=False)
