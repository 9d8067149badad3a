"""A counterexample as a story: the records that matter, the call, the moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ledger_verify.cli.output import printable, table
from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import (
    Expr,
    FieldOf,
    HasField,
    Observed,
    Read,
    Records,
    Variable,
    distinct,
)
from ledger_verify.lang.types import ListType, MapType, RecordType, Type, strip_null
from ledger_verify.ledger.paths import parse_path
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.render import time_text
from ledger_verify.source.json_text import json_text

Row = tuple[str, str, str]


def story(case: Case, domain: Domain, predicates: Sequence[Expr]) -> Iterator[str]:
    """Lines about the case: a table of what the predicates read of the facts of its session and of
    its records, earlier calls.

    Other fields are left out, and of other records only the path stands; where nothing of a record
    that they read is told apart, all of it stands.
    """
    fields, patterns = _read_by(predicates)
    rows: list[Row] = [
        ("" if i else SESSION, *leaf)
        for i, leaf in enumerate(_leaves(dict(case.facts), domain.session, fields, ""))
        if case.facts
    ]
    beside = []
    for path in case.ledger:
        pattern = _pattern(path, domain)
        if pattern in patterns or pattern is None:
            type_ = None if pattern is None else domain.ledger[pattern].record
            leaves = list(_leaves(case.ledger[path], type_, fields, ""))
            rows += [("" if i else path, *leaf) for i, leaf in enumerate(leaves)]
        else:
            beside.append(path)
    if rows:
        yield from table(("path", "field", "value"), rows).splitlines()
    if beside:
        yield printable(f"{'also ' if rows else ''}observed: {', '.join(beside)}")
    for text in case.heard:
        yield f"the user said: {json_text(text, indent=None)}"
    if not case.ledger and not case.history and not case.facts:
        yield "with nothing observed"
    yield from map(printable, stale_lines(case.stale))
    for path in case.absent:
        yield printable(f"`{path}` does not exist: a read that shows all did not show it")
    for call in case.history:
        outcome = "ran" if call.ok else f"did not run ({call.verdict})"
        moment = time_text(call.time_us, False, domain.zone)
        yield f"earlier: {call_text(call.tool, call.arguments)} at {moment}: {outcome}"


def stale_lines(stale: Iterable[str]) -> Iterator[str]:
    """What is stale of the records of a case, a line for each part."""
    for path in stale:
        yield f"`{path}` went stale after a write: it must be read again before it counts"


def _read_by(predicates: Iterable[Expr]) -> tuple[set[str], set[str]]:
    """The names of the fields and the patterns of the records that predicates read."""
    fields, patterns = set(), set()
    for predicate in predicates:
        for part in distinct(predicate):
            match part:
                case FieldOf(of=Variable(name="args")) | HasField(of=Variable(name="args")):
                    pass
                case FieldOf(field_name=name) | HasField(field_name=name):
                    fields.add(name)
                case Read(pattern=pattern) | Records(pattern=pattern):
                    patterns.add(pattern)
                case Observed(read=read):
                    patterns.add(read.pattern)
    return fields, patterns


def _pattern(path: str, domain: Domain) -> str | None:
    try:
        return parse_path(path, domain)[0]
    except InputError:
        return None


def call_text(tool: str, arguments: Any, without: Sequence[str] = ()) -> str:
    """A call as one line; `without` are arguments of which it matters that they are not there."""
    if not isinstance(arguments, dict):
        return printable(f"{tool} {_text(arguments)}")
    listed = ", ".join(f"{name}={_text(value)}" for name, value in arguments.items())
    lacking = f" without {' and '.join(without)}" if without else ""
    return printable(f"{tool}({listed}){lacking}")


def left_out(case: Case, predicates: Sequence[Expr]) -> list[str]:
    """The arguments that predicates read and that the call lacks."""
    read = (
        part.field_name
        for predicate in predicates
        for part in distinct(predicate)
        if isinstance(part, FieldOf | HasField)
        and isinstance(part.of, Variable)
        and part.of.name == "args"
    )
    return [name for name in dict.fromkeys(read) if name not in case.arguments]


def _leaves(
    value: Any, type_: Type | None, read: set[str], place: str
) -> Iterator[tuple[str, str]]:
    bare = None if type_ is None else strip_null(type_)
    match value:
        case dict() if value:
            types = dict.fromkeys(value, bare.value if isinstance(bare, MapType) else None)
            if isinstance(bare, RecordType):
                types = {k: bare.by_name[k].type if k in bare.by_name else None for k in value}
                wanted = [key for key in value if key in read or types[key] is None]
                types = {key: types[key] for key in wanted or value}
                for key in (k for k in bare.by_name if k in read and k not in value):
                    yield f"{place}.{key}" if place else key, "(absent)"
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
    return json_text(value, indent=None)
