"""Session facts on the command line: `--fact NAME=VALUE`, and `--facts FILE`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ledger_verify.lang.errors import InputError
from ledger_verify.lang.types import StringType, TimestampType, Type, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.session_facts import MissingFact, typed_facts
from ledger_verify.source.cursor import Cursor
from ledger_verify.source.json_file import parse_value, read_json

FactOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fact",
        metavar="NAME=VALUE",
        help="A fact of the session: a text as it is, else JSON; repeatable.",
    ),
]
FactsOption = Annotated[
    str | None,
    typer.Option("--facts", metavar="F", help="JSON: the facts of the session, by name."),
]


def session_facts(domain: Domain, given: list[str] | None, path: str | None) -> dict[str, Any]:
    """The facts that the options give, by name, as JSON that fits the domain.

    Raises `InputError` with the place of what is wrong, and for one that is given twice.
    """
    return facts_of_sides((domain,), given, path)[0]


def facts_of_sides(
    sides: Sequence[Domain], given: list[str] | None, path: str | None
) -> list[dict[str, Any]]:
    """The same for each of several domains: of all facts, those that it declares."""
    file = None if path is None else Cursor.root(read_json(path)).as_object("session facts")
    all_facts: dict[str, Any] = {} if file is None else dict(file.value)
    declared = [{} if d.session is None else d.session.by_name for d in sides]
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"`--fact`: expected `NAME=VALUE`, not `{text}`")
        if name in all_facts:
            raise InputError(f"`--fact`: `{name}` is given twice")
        types = [fields[name].type for fields in declared if name in fields]
        all_facts[name] = _value(name, value, types)
    known = {name for fields in declared for name in fields}
    facts = []
    for domain, fields in zip(sides, declared, strict=True):
        own = {name: v for name, v in all_facts.items() if name in fields or name not in known}
        try:
            typed_facts(own, domain.session, domain.name, domain.zone)
        except MissingFact as problem:
            hint = "give it with `--fact NAME=VALUE` or `--facts F`"
            raise InputError(problem.message, hint=hint) from None
        except InputError as problem:
            if file is None or given:
                raise
            raise file.error(problem.message, hint=problem.hint) from None
        facts.append(own)
    return facts


def _value(name: str, text: str, types: Sequence[Type]) -> Any:
    """The JSON that a text stands for: itself where the fact is a text, a date or a time."""
    if all(isinstance(strip_null(type_), StringType | TimestampType) for type_ in types):
        return text
    try:
        return parse_value(text)
    except ValueError:
        problem = f"`--fact`: `{name}` is {types[0]}, and `{text}` is no JSON"
        raise InputError(problem) from None
