"""Random policies over records that writes touch in part, and the values that these may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from ledger_verify.policy.domain import Domain

KEYS = ("x", "y")
NAMES = ("p", "q")
DEFINITIONS: Mapping[str, Any] = {
    "Box": {
        "type": "object",
        "required": ["n", "s", "inner", "m", "d", "z"],
        "properties": {
            "n": {"type": "integer"},
            "s": {"enum": ["a", "b"]},
            "k": {"type": "integer", "minimum": 0, "maximum": 1},
            "inner": {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}},
            },
            "m": {"type": "object", "additionalProperties": {"type": "integer"}},
            "d": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "required": ["q"],
                    "properties": {"q": {"type": "integer"}, "r": {"type": "boolean"}},
                },
            },
            "z": {
                "anyOf": [
                    {"type": "null"},
                    {
                        "type": "object",
                        "required": ["v"],
                        "properties": {"v": {"type": "integer"}, "w": {"type": "integer"}},
                    },
                ]
            },
        },
    },
    "Till": {
        "type": "object",
        "required": ["n", "c"],
        "properties": {
            "n": {"type": "integer"}, "c": {"type": "integer"}, "open": {"type": "boolean"},
        },
    },
}  # fmt: skip
LEDGER: Mapping[str, str] = {"boxes.*": "Box", "till": "Till"}
READS: Mapping[str, Mapping[str, Any]] = {
    "get_box": {
        "kind": "read",
        "arguments": {"id": {"enum": list(KEYS)}},
        "observes": {"boxes.{args.id}": "result"},
    },
    "get_till": {"kind": "read", "observes": {"till": "result"}},
}
ARGUMENTS: Mapping[str, Any] = {
    "id": {"enum": list(KEYS)},
    "name": {"enum": list(NAMES)},
    "v": {"type": "integer", "minimum": 0, "maximum": 2},
    "names?": {"type": "array", "items": {"enum": list(NAMES)}, "maxItems": 2},
}
WRITES = ("put", "take")
_B = "boxes.{args.id}"
_TOUCHES: tuple[str | dict[str, str], ...] = (
    _B, f"{_B}.n", f"{_B}.n", f"{_B}.s", f"{_B}.k", f"{_B}.inner", f"{_B}.inner.a",
    f"{_B}.inner.b", f"{_B}.m", f"{_B}.m.*", f"{_B}.m.{{args.name}}", f"{_B}.d.*.q",
    f"{_B}.d.{{args.name}}", f"{_B}.d.{{args.name}}.q", f"{_B}.d.{{args.name}}.r", f"{_B}.z.v",
    f"{_B}.z", "boxes.*.n", "boxes.*.m.{args.name}", "till", "till.n", "till.n", "till.c",
    "till.open",
    {"each": "has(args.names) ? args.names : []", "path": f"{_B}.m.{{item}}"},
    {"each": "has(args.names) ? args.names : []", "path": f"{_B}.d.{{item}}.q"},
)  # fmt: skip
_FIELDS = ("n", "s", "k", "inner", "m", "d", "z")
_BOX = "ledger.boxes[args.id]"


@dataclass
class Text:
    """Random expressions of a rule: over `box`, a way to write one, the till, the arguments."""

    random: Random
    observing: bool = True

    def number(self, box: str) -> str:
        pick = self.random.choice
        return pick(
            [
                f"{box}.n", f"{box}.n", f"{box}.inner.a", "ledger.till.n", "ledger.till.c",
                "args.v", f"{box}.m[args.name]", f"{box}.d[args.name].q", f"{box}.k", f"{box}.z.v",
                pick("012"), f"size({box}.m)",
            ]
        )  # fmt: skip

    def atom(self) -> str:
        pick, box = self.random.choice, self.random.choice((_BOX, _BOX, 'ledger.boxes["x"]'))
        op = pick(["<", "<=", "==", "!=", ">"])
        plain = [
            f"{self.number(box)} {op} {self.number(box)}",
            f"{self.number(box)} {op} {pick('0123')}",
            f'{box}.s == "{pick("ab")}"',
            f"has({box}.k)", f"has({box}.inner.b)", f"{box}.inner.b", f"{box}.z == null",
            f"args.name in {box}.m", f'"p" in {box}.d',
            f"{box}.m.all(e, {box}.m[e] {op} {pick('012')})",
            f"{box}.d.exists(e, {box}.d[e].q {op} {pick('012')})", f"has({box}.d[args.name].r)",
            f"ledger.till.n {op} ledger.till.c", "ledger.till.open",
            f"{box} == ledger.boxes[\"y\"]",
            f"{box}.inner == ledger.boxes[\"y\"].inner", "has(args.names)",
        ]  # fmt: skip
        if not self.observing or self.random.random() < 0.5:
            return pick(plain)
        return pick(
            [
                f"observed({box})", f"observed({box}.{pick(_FIELDS)})",
                f"observed({box}.{pick(_FIELDS)})", f"!observed({box}.{pick(_FIELDS)})",
                f"observed(ledger.till.{pick(('n', 'c', 'open'))})", "observed(ledger.till)",
                f"size(records(ledger.boxes)) {op} {pick('012')}",
                f"records(ledger.boxes).exists(r, r.n {op} {pick('012')})",
                f'records(ledger.boxes).all(r, r.s == "{pick("ab")}" || r.n {op} {pick("01")})',
                f"records(ledger.boxes).exists(r, r.inner.a {op} {pick('012')})",
            ]
        )  # fmt: skip

    def partly(self) -> str:
        """That some parts of a record are observed, and others are not."""
        box, one, other = _BOX, *self.random.sample(_FIELDS, k=2)
        return self.random.choice(
            [
                f"observed({box}.{one}) && !observed({box}.{other})",
                f"observed({box}) && !observed({box}.{other})",
                f"!observed({box}) && observed({box}.{one})",
                f"!observed({box}.{one}) && size(records(ledger.boxes)) == 1",
                "observed(ledger.till.n) != observed(ledger.till.c)",
            ]
        )

    def condition(self, depth: int = 2) -> str:
        if depth and self.random.random() < 0.5:
            left, right = self.condition(depth - 1), self.condition(depth - 1)
            return self.random.choice([f"({left} && {right})", f"({left} || {right})"])
        atom = self.atom()
        return f"!({atom})" if self.random.random() < 0.15 else atom


def touching(random: Random) -> dict[str, Any]:
    """The tools: two writes that touch records in part."""
    tools: dict[str, Any] = dict(READS)
    for name in WRITES:
        touched = random.sample(_TOUCHES, k=random.randint(1, 3))
        tools[name] = {"kind": "write", "arguments": ARGUMENTS, "touches": touched}
    return tools


def define(tools: Mapping[str, Any], rules: list[tuple[str, str]], **more: Any) -> Domain:
    """The domain with these rules, each a tool and what its calls must meet."""
    documents = [{"id": f"r{i}", "tools": [t], "require": r} for i, (t, r) in enumerate(rules)]
    return Domain.define(
        "boxes", tools=tools, ledger=LEDGER, definitions=DEFINITIONS, rules=documents,
        clock="2024-05-15T15:00:00", **more,
    )  # fmt: skip


def random_box(random: Random) -> dict[str, Any]:
    """A box as JSON."""
    pick = random.choice
    inner: dict[str, Any] = {"a": pick((0, 1, 2))}
    box: dict[str, Any] = {"n": pick((0, 1, 2, 3)), "s": pick("ab"), "inner": inner}
    if random.random() < 0.5:
        box["k"] = pick((0, 1))
    if random.random() < 0.5:
        inner["b"] = pick((True, False))
    box["m"] = {name: pick((0, 1, 2)) for name in NAMES if random.random() < 0.6}
    box["d"] = {
        name: {"q": pick((0, 1, 2)), **({"r": pick((True, False))} if pick((0, 1)) else {})}
        for name in NAMES
        if random.random() < 0.6
    }
    box["z"] = pick((None, {"v": pick((0, 1, 2))}, {"v": pick((0, 1)), "w": 1}))
    return box


def random_till(random: Random) -> dict[str, Any]:
    """A till as JSON."""
    pick = random.choice
    till: dict[str, Any] = {"n": pick((0, 1, 2, 3, 4)), "c": pick((0, 1, 2, 3, 5))}
    if random.random() < 0.5:
        till["open"] = pick((True, False))
    return till


def random_arguments(random: Random) -> dict[str, Any]:
    """Arguments of a write."""
    pick = random.choice
    call: dict[str, Any] = {"id": pick(KEYS), "name": pick(NAMES), "v": pick((0, 1, 2))}
    if random.random() < 0.4:
        call["names"] = random.sample(NAMES, k=random.randint(0, 2))
    return call


def random_record(random: Random, path: str) -> dict[str, Any]:
    """The JSON of what stands at a canonical path."""
    return random_till(random) if path == "till" else random_box(random)


PATHS = ("till", *(f"boxes.{key}" for key in KEYS))
