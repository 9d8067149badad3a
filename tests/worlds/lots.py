"""The small domain of the random worlds: lots and desks under their keys, a till, and its tools."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

IDS = ("x", "y", "z")
DESKS = ("p", "q")
WRITES = ("put", "take")
TRAITS = ("keyed", "shows", "facts", "asks")
"""What a domain may have beyond plain reads and writes; each policy draws some of them."""

_INT = {"type": "integer"}
DEFINITIONS: Mapping[str, Any] = {
    "Lot": {
        "type": "object",
        "required": ["id", "n", "s", "next", "inner"],
        "properties": {
            "id": {"type": "string"},
            "n": _INT,
            "s": {"enum": ["a", "b"]},
            "k": {"type": "integer", "minimum": 0, "maximum": 1},
            "next": {"type": "string"},
            "inner": {
                "type": "object",
                "required": ["a"],
                "properties": {"a": _INT, "b": {"type": "boolean"}},
            },
        },
    },
    "Desk": {
        "type": "object",
        "required": ["id", "n"],
        "properties": {"id": {"type": "string"}, "n": _INT, "lot": {"type": "string"}},
    },
    "Till": {
        "type": "object",
        "required": ["n", "c"],
        "properties": {"n": _INT, "c": _INT, "open": {"type": "boolean"}},
    },
}
SESSION: Mapping[str, Any] = {
    "id": "string",
    "cap": {"type": "integer", "minimum": 0, "maximum": 3},
    "boss?": "boolean",
    "own?": "string[]",
}
SAID = ("gold", "It is x.", "GOLD, my Y", "2 of z", "lot x, then 0", "nothing", "p")
"""What users say."""
_ASKS = (
    ["id"], {"id": "loose"}, {"word": "ignoring_case"}, ["id", "word"], ["v"],
    {"word": "messages.exists(m, m == value)"},
)  # fmt: skip
FIELDS: Mapping[str, tuple[str, ...]] = {
    "lots": ("n", "s", "k", "next", "inner"), "desk": ("n", "lot"), "till": ("n", "c", "open"),
}  # fmt: skip
"""The fields that a write may touch: all but the keys."""

_LOT, _TOLD, _MINE = "lots.{args.id}", "lots.{item.id}", "lots.{session.id}"
_NEXT = "lots.{ledger.lots[args.id].next}"
_TOUCHES = (
    _LOT, *2 * (f"{_LOT}.n",), f"{_LOT}.s", f"{_LOT}.k", f"{_LOT}.next", f"{_LOT}.inner",
    f"{_LOT}.inner.a", f"{_LOT}.inner.b", "lots.*.n", f"{_NEXT}.n", *2 * ("till.n",), "till.c",
    "till.open", "desk.n",
)  # fmt: skip
_EFFECTS: Mapping[str, tuple[str, ...]] = {
    f"{_LOT}.n": ("args.v", "ledger.lots[args.id].n + args.v", "ledger.lots[args.id].n + 1", "0"),
    f"{_LOT}.inner.a": ("args.v", "ledger.lots[args.id].n"),
    "till.n": ("ledger.till.n + args.v", "ledger.till.n + 1", "args.v", "ledger.till.n + 2"),
    "till.c": ("ledger.till.c + 1", "ledger.till.n", "ledger.till.c - 1"),
}


def paths(traits: frozenset[str]) -> dict[str, Any]:
    """The ledger of the domain."""
    if "keyed" not in traits:
        return {"lots.*": "Lot", "desk": "Desk", "till": "Till"}
    return {
        "lots.*": {"record": "Lot", "key": "id"},
        "desk": {"record": "Desk", "key": "id"},
        "till": "Till",
    }


def tools(random: Random, traits: frozenset[str]) -> dict[str, Any]:
    """Reads of each record and two writes."""
    by_id = {"id": "string"}
    get_desk = {"kind": "read", "arguments": by_id, "observes": {"desk": "result"}}
    if "keyed" in traits and random.random() < 0.5:
        get_desk["identifies"] = "desk"
    found: dict[str, Any] = {
        "get_lot": {"kind": "read", "arguments": by_id, "observes": {_LOT: "result"}},
        # under which key the record stands is told by what is shown
        "after": {
            "kind": "read", "arguments": by_id, "observes": {_TOLD: "result"},
        },
        "get_desk": get_desk,
        "get_till": {"kind": "read", "observes": {"till": "result"}},
    }  # fmt: skip
    if "facts" in traits:
        found["get_mine"] = {"kind": "read", "observes": {_MINE: "result"}}
    if "asks" in traits:
        for name, asked in (("get_desk", 0.5), ("get_lot", 0.2)):
            found[name] |= {"asks": ["id"]} if random.random() < asked else {}
    for name in WRITES:
        found[name] = _write(random, traits)
    return found


def _write(random: Random, traits: frozenset[str]) -> dict[str, Any]:
    mine = (f"{_MINE}.n", f"{_MINE}.s", _MINE) if "facts" in traits else ()
    known = ("session.cap",) if "facts" in traits else ()
    touched = random.sample(sorted({*_TOUCHES, *mine}), k=random.randint(1, 3))
    effects = {
        path: random.choice((*_EFFECTS[path], *known))
        for path in touched
        if path in _EFFECTS and random.random() < 0.6
    }
    number = {"type": "integer", "minimum": 0, "maximum": 2}
    tool: dict[str, Any] = {"kind": "write", "arguments": {"id": "string", "v": number}}
    if "shows" in traits and random.random() < 0.8:
        tool["observes"] = {random.choice((_LOT, _LOT, _TOLD)): "result.lot"}
        tool["observes"] |= {"till": "result.till"} if random.random() < 0.3 else {}
    if "asks" in traits:
        tool["arguments"]["word?"] = "string"
        tool |= {"asks": random.choice(_ASKS)} if random.random() < 0.7 else {}
    return {**tool, "touches": touched, "effects": effects}


def random_lot(random: Random, id: str) -> dict[str, Any]:
    """A lot as JSON."""
    pick = random.choice
    inner: dict[str, Any] = {"a": pick((0, 1, 2))}
    lot: dict[str, Any] = {"id": id, "n": pick((0, 1, 2, 3)), "s": pick("ab"), "next": pick(IDS)}
    if random.random() < 0.5:
        lot["k"] = pick((0, 1))
    if random.random() < 0.5:
        inner["b"] = pick((True, False))
    return {**lot, "inner": inner}


def random_desk(random: Random, id: str) -> dict[str, Any]:
    """A desk as JSON."""
    desk: dict[str, Any] = {"id": id, "n": random.choice((0, 1, 2))}
    return {**desk, "lot": random.choice(IDS)} if random.random() < 0.5 else desk


def random_till(random: Random) -> dict[str, Any]:
    """A till as JSON."""
    till: dict[str, Any] = {"n": random.choice((0, 1, 2, 3)), "c": random.choice((0, 1, 2, 3, 5))}
    return {**till, "open": random.random() < 0.5} if random.random() < 0.5 else till


def random_facts(random: Random) -> dict[str, Any]:
    """The facts of a session as JSON."""
    facts: dict[str, Any] = {"id": random.choice(IDS), "cap": random.choice((0, 1, 2, 3))}
    if random.random() < 0.5:
        facts["boss"] = random.random() < 0.5
    if random.random() < 0.5:
        facts["own"] = random.sample(IDS, k=random.randint(0, 2))
    return facts
