"""For each key of a domain's documents it is decided how `diff` treats a change of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from ledger_verify import Domain
from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change
from ledger_verify.policy import documents

Edit = Callable[[dict[str, Any]], None]


def put(*path: Any) -> Edit:
    """Put the last one at the place that the others lead to."""
    *steps, key, value = path

    def edit(data: dict[str, Any]) -> None:
        here: Any = data
        for step in steps:
            here = here[step]
        here[key] = value

    return edit


TEXT = {"whole": "name (.|\n)*", "each": "tier (?P<tier>a|b)", "nothing": ["none"]}


def whole() -> dict[str, Any]:
    """A domain that uses every key of its documents."""
    one = {"id": "string"}
    return {
        "name": "shop",
        "timezone": "UTC",
        "clock": "2024-05-15",
        "default": "block",
        "session": {"tenant": "string"},
        "definitions": {
            "Item": {
                "type": "object",
                "properties": {"n": {"type": "integer"}, "id": {"type": "string"}},
                "required": ["n"],
            },
            "User": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "tier": {"enum": ["a", "b"]}},
            },
            "Page": {
                "type": "object",
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                    "next": {"type": ["string", "null"]},
                    "bad": {"type": "boolean"},
                },
            },
        },
        "ledger": {
            "user": {"record": "User", "key": "name"},
            "items.*": {"record": "Item", "key": "id"},
        },
        "tools": {
            "me": {
                "kind": "read",
                "description": "who",
                "arguments": {"name": "string"},
                "asks": ["name"],
                "identifies": "user",
                "observes": {"user": "result"},
            },
            "search": {
                "kind": "read",
                "arguments": {"kind": "string", "cursor?": "string"},
                "returns": "Page",
                "failed": "result.bad",
                "observes": {
                    "items.{item.id}": {
                        "from": "result.items[*]",
                        "set": {"id": "args.kind"},
                        "when": "args.kind != 'x'",
                        "all": "item.id != args.kind",
                        "more": {
                            "when": "result.next != null",
                            "next": {"cursor": "result.next"},
                            "first": {"cursor": "'0'"},
                        },
                    }
                },
            },
            "list": {
                "kind": "read",
                "arguments": {"cursor?": "string"},
                "returns": "Page",
                "failed": "result.bad",
                "observes": {
                    "items.{item.id}": {"from": "result.items[*]", "more": "result.next != null"}
                },
            },
            "prose": {
                "kind": "read",
                "arguments": {},
                "observes": {"user": {"text": dict(TEXT), "from": "result"}},
            },
            "sell": {
                "kind": "write",
                "arguments": {
                    **one,
                    "n": "integer",
                    "note": "string",
                    "of": {"type": "array", "items": {"type": "string"}},
                },
                "touches": ["items.{args.id}.n", {"path": "items.{item}", "each": "args.of"}],
                "effects": {"items.{args.id}.n": "args.n"},
                "free": ["n"],
                "fixed": ["note"],
                "asks": [],
                "by": "agent",
                "ignore": {"LV104": "kept"},
                "result": {"whole": "sold (?P<tier>a|b)", "nothing": ["no"]},
            },
            "thank": {"kind": "neutral", "arguments": {}},
        },
        "rules": [{"id": "few", "tools": ["sell"], "require": "ledger.items[args.id].n >= args.n"}],
    }


@dataclass(frozen=True)
class Seen:
    """Changes of a key, and what the report says of each: a tool, a note, or other evidence."""

    edits: tuple[Edit, ...]
    tool: str | None = None
    note: str | None = None
    evidence: str | None = None


def seen(*edits: Edit, **where: str) -> Seen:
    return Seen(edits, **where)


NOTHING = "no verdict hangs on it"
SELL, SEARCH, PROSE, ME = (("tools", name) for name in ("sell", "search", "prose", "me"))
ITEMS = (*SEARCH, "observes", "items.{item.id}")
SHOWN = "`search` observes something else"
PROSED = "`prose` observes something else"
LOOSE = {"record": "Item"}

TREATED: dict[tuple[type[BaseModel], str], Seen | str] = {
    (documents.ToolDocument, "kind"): seen(
        put("tools", "thank", "kind", "write"), note="was a neutral tool", evidence="another kind"
    ),
    (documents.ToolDocument, "description"): NOTHING,
    (documents.ToolDocument, "arguments"): seen(
        put(*SELL, "arguments", "n", {"type": "integer", "maximum": 3}),
        tool="sell", note="the arguments of `sell`",
    ),
    (documents.ToolDocument, "observes"): seen(
        put(*PROSE, "observes", {}), evidence=PROSED
    ),
    (documents.ToolDocument, "touches"): seen(
        put(*SELL, "touches", ["items.{args.id}"]), evidence="`sell` touches something else"
    ),
    (documents.ToolDocument, "effects"): seen(
        put(*SELL, "effects", {"items.{args.id}.n": "args.n + 1"}), note="effects of `sell`"
    ),
    (documents.ToolDocument, "free"): seen(put(*SELL, "free", []), note="a repair may change"),
    (documents.ToolDocument, "fixed"): "that an argument is not free, as if it was not named",
    (documents.ToolDocument, "asks"): seen(
        put(*ME, "asks", []), tool="me", evidence="`me` shows nothing before the user said"
    ),
    (documents.ToolDocument, "identifies"): seen(
        put(*ME, "identifies", None), evidence="with whom the conversation is"
    ),
    (documents.ToolDocument, "result"): seen(
        put(*SELL, "result", "nothing", ["never"]), evidence="`sell` failed by other signs"
    ),
    (documents.ToolDocument, "returns"): seen(
        put("definitions", "Page", "properties", "bad", {"type": ["boolean", "null"]}),
        evidence="`search` failed by other signs",
    ),
    (documents.ToolDocument, "failed"): seen(
        put(*SEARCH, "failed", "!result.bad"), evidence="`search` failed by other signs"
    ),
    (documents.ToolDocument, "by"): seen(
        put("tools", "thank", "by", "user"), tool="thank", note="belongs to the user"
    ),
    (documents.ToolDocument, "ignore"): NOTHING,
    (documents.ObservationDocument, "source"): seen(
        put(*ITEMS, "from", "result.more[*]"), evidence=SHOWN
    ),
    (documents.ObservationDocument, "text"): seen(
        put(*PROSE, "observes", "user", "result"), evidence=PROSED
    ),
    (documents.ObservationDocument, "when"): seen(put(*ITEMS, "when", "true"), evidence=SHOWN),
    (documents.ObservationDocument, "set_"): seen(put(*ITEMS, "set", {}), evidence=SHOWN),
    (documents.ObservationDocument, "where"): seen(
        put(*PROSE, "observes", "user", "where", "item.tier == 'a'"), evidence=PROSED
    ),
    (documents.ObservationDocument, "all_"): seen(
        put(*ITEMS, "all", None), put(*ITEMS, "all", "item.id == args.kind"), evidence=SHOWN
    ),
    (documents.ObservationDocument, "more"): seen(
        put("tools", "list", "observes", "items.{item.id}", "result.items[*]"),
        evidence="`list` observes something else",
    ),
    (documents.MoreDocument, "when"): seen(
        put(*ITEMS, "more", "when", "result.next != null && !result.bad"), evidence=SHOWN
    ),
    (documents.MoreDocument, "next"): seen(
        put(*ITEMS, "more", "next", "cursor", "result.next + '0'"), evidence=SHOWN,
    ),
    (documents.MoreDocument, "first"): seen(
        put(*ITEMS, "more", "first", "cursor", "'1'"), put(*ITEMS, "more", "first", {}),
        evidence=SHOWN,
    ),
    **{
        (documents.TextDocument, key): seen(
            put(*PROSE, "observes", "user", "text", key, value),
            evidence=PROSED,
        )
        for key, value in {
            "whole": "name: (.|\n)*", "each": "tier (?P<tier>a|b) *", "nothing": []
        }.items()
    },
    (documents.TouchDocument, "path"): seen(
        put(*SELL, "touches", 1, "path", "items.{item}.n"), evidence="`sell` touches"
    ),
    (documents.TouchDocument, "each"): seen(
        put(*SELL, "touches", 1, "each", "[args.id]"), evidence="`sell` touches"
    ),
    (documents.PathDocument, "record"): seen(
        put("definitions", "Item", "properties", "n", {"type": "integer", "minimum": 0}),
        tool="sell", note="the schema of records at `items.*`",
    ),
    (documents.PathDocument, "key"): seen(
        put("ledger", "items.*", LOOSE), note="the key of records at `items.*`"
    ),
    (documents.DomainDocument, "domain"): NOTHING,
    (documents.DomainDocument, "description"): NOTHING,
    (documents.DomainDocument, "timezone"): seen(
        put("timezone", "Asia/Tokyo"), note="`timezone` was changed"
    ),
    (documents.DomainDocument, "clock"): seen(
        put("clock", "2024-05-16"), note="`clock` was changed"
    ),
    (documents.DomainDocument, "default"): seen(
        put("default", "revise"), note="`default` was changed"
    ),
    (documents.DomainDocument, "session"): seen(
        put("session", {"tenant": "integer"}), put("session", None), note="session fact `tenant`"
    ),
    (documents.DomainDocument, "ledger"): seen(
        put("ledger", "pages.*", "Page"), note="path `pages.*` was added"
    ),
    (documents.DomainDocument, "tools"): seen(
        put("tools", "wave", {"kind": "neutral", "arguments": {}}),
        note="tool `wave` was added", evidence="OLD does not know `wave`",
    ),
}  # fmt: skip


def edits() -> list[Any]:
    return [
        pytest.param(edit, treated, id=f"{model.__name__}.{key}-{index}")
        for (model, key), treated in TREATED.items()
        if isinstance(treated, Seen)
        for index, edit in enumerate(treated.edits)
    ]


def documented() -> set[type[BaseModel]]:
    """`domain.yaml` and all documents inside it."""
    out: set[type[BaseModel]] = set()
    waiting: list[Any] = [documents.DomainDocument, documents.PathDocument]
    while waiting:
        each = waiting.pop()
        if isinstance(each, type) and issubclass(each, BaseModel) and each not in out:
            out.add(each)
            waiting += [field.annotation for field in each.model_fields.values()]
        waiting += getattr(each, "__args__", ())
    return out


def test_each_key_is_decided() -> None:
    keys = {(model, key) for model in documented() for key in model.model_fields}
    assert keys == set(TREATED)


@pytest.fixture(scope="module")
def old() -> Domain:
    return Domain.define(**whole())


def test_without_a_change_nothing_is_told(old: Domain) -> None:
    report = diff(old, Domain.define(**whole()))
    assert report.notes == report.unproved == ()
    assert all(t.allowed.change is t.refused.change is Change.NONE for t in report.tools)


@pytest.mark.parametrize(("edit", "treated"), edits())
def test_a_change_of_a_key_is_told_both_ways(old: Domain, edit: Edit, treated: Seen) -> None:
    data = whole()
    edit(data)
    new = Domain.define(**data)
    report, back = diff(old, new), diff(new, old)
    changed = {
        tool.tool
        for tool in report.tools
        if {tool.allowed.change, tool.refused.change} != {Change.NONE}
    }
    assert treated.tool is None or treated.tool in changed
    for said, told in ((treated.note, report.notes), (treated.evidence, report.unproved)):
        assert said is None or any(said in text for text in told), told
    assert bool(report.notes) == bool(back.notes)
    assert bool(report.unproved) == bool(back.unproved)
