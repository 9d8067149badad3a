"""The domain that is made of a list of tools, before it is written down."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.cli.scaffold.entries import READ, ToolEntry, words_of
from ledger_verify.cli.scaffold.typebook import TypeBook
from ledger_verify.policy.yaml_file import yaml_inline

_KEYS = frozenset({"string", "integer", "date", "datetime"})
_FORMATS = {"date": "date", "date-time": "datetime"}
_TAIL = frozenset({"details", "detail", "info", "information", "data"})


@dataclass(frozen=True)
class ToolSketch:
    """A tool with its arguments in the notation of `domain.yaml`.

    `observes` is the path of the ledger, with its keys in braces, that its result is kept at.
    """

    entry: ToolEntry
    arguments: Mapping[str, str]
    observes: str | None = None


@dataclass(frozen=True)
class Sketch:
    """A domain: its tools, its ledger (pattern to its entry, as YAML), its named types, what was
    simplified.
    """

    name: str
    source: str
    tools: Sequence[ToolSketch]
    ledger: Mapping[str, str]
    types: Mapping[str, Any]
    remarks: Sequence[str] = field(default_factory=tuple)

    @property
    def writes(self) -> list[ToolSketch]:
        """The agent's tools that change something."""
        return [t for t in self.tools if t.entry.kind.kind == "write" and not t.entry.by_user]


def sketch(name: str, source: str, entries: Sequence[ToolEntry]) -> Sketch:
    """What can be said of a domain by its tools alone."""
    book = TypeBook()
    ledger: dict[str, str] = {}
    tools = []
    for entry in entries:
        arguments = {
            key if argument.required else f"{key}?": book.notation(
                argument.schema, entry.definitions, entry.name, key
            )
            for key, argument in entry.arguments.items()
        }
        tools.append(ToolSketch(entry, arguments, _observed(entry, arguments, ledger, book)))
    left_out = [f"`{e.name}`: {remark} was left out" for e in entries for remark in e.remarks]
    return Sketch(name, source, tools, ledger, book.used, (*book.remarks, *left_out))


def _observed(
    entry: ToolEntry, arguments: Mapping[str, str], ledger: dict[str, str], book: TypeBook
) -> str | None:
    """The path that the result of a read is kept at, where its schema says what it is.

    It is keyed by the arguments; with optional ones, or others than texts and numbers, nothing is
    guessed.
    """
    known = _record_schema(entry)
    usable = all(kind in _KEYS and key.isidentifier() for key, kind in arguments.items())
    if entry.kind.kind != READ or known is None or not usable:
        return None
    root = noun_of(entry.name, plural=bool(arguments))
    if root in {pattern.split(".")[0] for pattern in ledger}:
        return None
    schema = book.take(known, entry.definitions, entry.name, "result")
    type_name = book.named(schema, _camel(noun_of(entry.name, plural=False)))
    own = [key if _tells(known, entry, key, kind) else None for key, kind in arguments.items()]
    notation = type_name
    if any(own):
        key = own[0] if len(own) == 1 else own
        notation = yaml_inline({"record": type_name, "key": key})
    ledger[".".join([root, *("*" for _ in arguments)])] = notation
    return ".".join([root, *(f"{{args.{key}}}" for key in arguments)])


def _tells(schema: Any, entry: ToolEntry, name: str, kind: str) -> bool:
    """Whether a record has a field of the argument's name and type, which tells whose it is."""
    found = _target(schema, entry)["properties"].get(name)
    match found:
        case {"type": "string", "format": str(form)} if form in _FORMATS:
            return kind == _FORMATS[form]
        case {"type": "string" | "integer" as type_}:
            return bool(kind == type_)
    return False


def _target(schema: Any, entry: ToolEntry) -> Any:
    if isinstance(schema, Mapping) and "$ref" in schema:
        return entry.definitions.get(str(schema["$ref"]).rsplit("/", 1)[-1])
    return schema


def _record_schema(entry: ToolEntry) -> Any:
    """The schema of the result, if it describes a record."""
    schema = entry.result
    target = _target(schema, entry)
    fields = target.get("properties") if isinstance(target, Mapping) else None
    if not isinstance(fields, Mapping) or not fields or set(fields) == {"result"}:
        return None
    return schema


def noun_of(name: str, *, plural: bool) -> str:
    """What a read is about: `orders` or `order` of `get_order_details`."""
    words = words_of(name)[1:]
    if "by" in words:
        words = words[: words.index("by")]
    while len(words) > 1 and words[-1] in _TAIL:
        words.pop()
    noun = "_".join(words) or re.sub(r"\W+", "_", name).lower()
    noun = noun if re.match(r"[A-Za-z_]", noun) else f"_{noun}"
    return plural_of(noun) if plural else noun


def plural_of(noun: str) -> str:
    """`orders`, `categories`, `branches`; what ends with an `s` is taken for a plural."""
    if noun.endswith(("ss", "ch", "sh", "x", "z")):
        return f"{noun}es"
    if noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_")) or "Result"
