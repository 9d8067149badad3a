"""A type of `schema.yaml` is used by no path of the ledger and no argument of a tool.

Usually a path or an argument was to have it and has another type, or none of its fields are
checked. Use the type, or delete it.

Faulty:

    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}
    $defs:
      Address: {type: object, properties: {zip: {type: string}}}

Right:

    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}
    $defs:
      Address: {type: object, properties: {zip: {type: string}}}
    tools:
      label: {kind: neutral, arguments: {to: Address}}

A type is used if `ledger` or the `arguments` of a tool in `domain.yaml` name it (as in `Name`,
`Name[]`, `Name?` or a `$ref`), or a type that is used itself refers to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.ledger_loading import is_path_document
from ledger_verify.policy.regions import key_region

ABOUT = About("LV205", "unused_type", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each type."""
    schema = domain.sources.get("schema")
    if schema is None:
        return
    definitions: Mapping[str, Any] = schema.data["$defs"]
    used = _reached(_named(domain), definitions)
    for name in definitions:
        if name in used:
            yield Claim()
            continue
        place = key_region(schema, ("$defs", name))
        yield file_finding(
            ABOUT,
            f"no path of the ledger and no argument of a tool is a `{name}`",
            place.start,
            end=place.end,
            fix="use the type, or delete it",
        )


def _named(domain: Domain) -> set[str]:
    """What the notations of `domain.yaml` name, types or not."""
    data = domain.sources["domain"].data
    notations = [
        entry.get("record") if is_path_document(entry) else entry
        for entry in data["ledger"].values()
    ]
    for tool in data["tools"].values():
        notations += tool.get("arguments", {}).values()
    return {name for notation in notations for name in _names(notation)}


def _names(notation: Any) -> Iterator[str]:
    if isinstance(notation, str):
        yield notation.rstrip("[]?")
    else:
        yield from _references(notation)


def _references(schema: Any) -> Iterator[str]:
    """The names at the ends of all `$ref`s in a JSON Schema."""
    match schema:
        case Mapping():
            if isinstance(schema.get("$ref"), str):
                yield schema["$ref"].rsplit("/", 1)[-1]
            for part in schema.values():
                yield from _references(part)
        case list():
            for part in schema:
                yield from _references(part)


def _reached(names: set[str], definitions: Mapping[str, Any]) -> set[str]:
    reached: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name in definitions and name not in reached:
            reached.add(name)
            pending += _references(definitions[name])
    return reached
