"""Random policies over two small records, and all that they allow, by the interpreter alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from ledger_verify.evaluate.kleene import Scope, Truth, evaluate, truth
from ledger_verify.gate.cases import broken_at
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption
from ledger_verify.policy.tools import Effect, Tool

KEYS = ("x", "y")
DEFINITIONS: Mapping[str, Any] = {
    "Cell": {
        "type": "object",
        "required": ["n", "s"],
        "properties": {
            "n": {"type": "integer", "minimum": 0, "maximum": 2},
            "s": {"enum": ["a", "b"]},
            "k": {"type": "integer", "minimum": 0, "maximum": 1},
        },
    }
}
READ: Mapping[str, Any] = {
    "kind": "read",
    "arguments": {"id": {"enum": list(KEYS)}},
    "observes": {"cells.{args.id}": "result"},
}
SESSION: Mapping[str, Any] = {
    "who": {"enum": list(KEYS)},
    "cap": {"type": "integer", "minimum": 0, "maximum": 2},
}
OF_SESSION = ("args.id == session.who", "args.v <= session.cap", "session.cap > 0")
VALUES: Mapping[str, tuple[Any, ...]] = {"n": (0, 1, 2), "s": ("a", "b"), "k": (None, 0, 1)}
TOOLS = ("one", "two")
FIXED_START = 'ledger.cells.all(c, c.n == 0 && c.s == "a" && !has(c.k))'
World = tuple[tuple[Any, ...], ...]
Past = tuple[tuple[str, str, int, bool], ...]
State = tuple[World, Past, int]
"""A world, the calls so far, and which facts the session opened with."""


@dataclass(frozen=True)
class RandomPolicy:
    """A domain with one invariant; rules of a `remembering` one read the history.

    A session may open with any of the `facts`.
    """

    domain: Domain
    remembering: bool
    facts: tuple[Mapping[str, Any], ...] = ({},)


class _Text:
    """Random expressions; those of cells are over `cells`, ways to write a record.

    `known` are numbers that may stand anywhere.
    """

    def __init__(self, random: Random, known: tuple[str, ...] = ()) -> None:
        self.random, self.known = random, known

    def number(self, cells: list[str], names: list[str]) -> str:
        atoms = [*self.known, *(f"{cell}.n" for cell in cells), *names, "0", "1", "2"]
        pick = self.random.choice
        return pick(
            [pick(atoms), f"{pick(atoms)} {pick('+-')} {pick(atoms)}", f"{pick(atoms)} + 1"]
        )

    def condition(self, cells: list[str], names: list[str], depth: int = 2) -> str:
        pick, cell = self.random.choice, self.random.choice(cells)
        if depth and self.random.random() < 0.4:
            left, right = (self.condition(cells, names, depth - 1) for _ in range(2))
            return pick([f"({left} && {right})", f"({left} || {right})", f"!({left})"])
        compared = f"{self.number(cells, names)} {pick(['<', '<=', '==', '!='])} "
        return pick(
            [
                compared + self.number(cells, names),
                compared + self.number(cells, names),
                f'{cell}.s == "{pick("ab")}"',
                f"has({cell}.k)",
                f"(has({cell}.k) && {cell}.k == {pick('01')})",
                f"{cell}.k == {pick('01')}",
            ]
        )

    def of_history(self) -> str:
        pick, tool = self.random.choice, self.random.choice(TOOLS)
        return pick(
            [
                f"size(history.{tool}) < {pick('12')}",
                f"!history.{tool}.exists(c, c.ok)",
                f"history.{tool}.all(c, c.args.id != args.id)",
                f"history.{tool}.exists(c, !c.ok)",
                f"size(history.{tool}.filter(c, c.ok && c.args.v == args.v)) < 1",
            ]
        )

    def value(self, field: str, cells: list[str]) -> str:
        pick = self.random.choice
        if field == "s":
            return pick(['"a"', '"b"', f'{pick(cells)}.s == "a" ? "b" : "a"', f"{pick(cells)}.s"])
        if field == "k":
            return pick(["0", "1", "args.v > 0 ? 1 : 0"])
        known = pick(
            ["args.v", *(f"{cell}.n" for cell in cells)]
        )  # no constant: it would be checked
        if self.random.random() < 0.3:
            return f"{cells[0]}.n < 2 ? {cells[0]}.n + 1 : 2"
        plain = f"({known} {pick('+-')} ({self.number(cells, ['args.v'])}))"
        clamped = f"{plain} > 2 ? 2 : ({plain} < 0 ? 0 : {plain})"
        return clamped if self.random.random() < 0.75 else plain


def random_policy(seed: int, *, with_facts: bool = False) -> RandomPolicy:
    """The policy of that number; `with_facts` rules and effects read facts of the session."""
    random = Random(seed)
    text = _Text(random, ("session.cap",) if with_facts else ())
    remembering = random.random() < 0.5
    here = ["ledger.cells[args.id]", *random.choices(['ledger.cells["x"]'], k=random.randint(0, 1))]
    rules = []
    for tool in TOOLS:
        loose = random.random() < 0.3
        requirements = ["true" if loose else text.condition(here, ["args.v"])]
        if with_facts and random.random() < 0.7:
            requirements.append(random.choice(OF_SESSION))
        if remembering and random.random() < 0.8:
            requirements.append(text.of_history())
        rules += [(tool, requirement) for requirement in requirements]
    tools: dict[str, Any] = {"read": READ}
    for tool in TOOLS:
        fields = random.sample(list(VALUES), k=random.randint(1, 2))
        unknown = fields[0] if random.random() < 0.15 else None
        paths = [f"cells.{{args.id}}.{field}" for field in fields]
        tools[tool] = {
            "kind": "write",
            "arguments": {
                "id": {"enum": list(KEYS)},
                "v": {"type": "integer", "minimum": 0, "maximum": 1 if remembering else 2},
            },
            "touches": paths,
            "effects": {
                path: text.value(field, here)
                for path, field in zip(paths, fields, strict=True)
                if field != unknown
            },
        }
    start = FIXED_START if remembering or random.random() < 0.6 else None
    claims = _Text(random)
    body, always = _claim(claims, random, from_start=start is not None)
    if start is None and random.random() < 0.5:
        start = f"ledger.cells.all(c, {body} && {claims.condition(['c'], [])})"
    invariant = {"id": "kept", "always": always} | ({"initially": start} if start else {})
    if not with_facts:
        return RandomPolicy(_define(tools, rules, invariant), remembering)
    if random.random() < 0.4:
        invariant["always"] = f"ledger.cells.all(c, session.cap < 1 || {body})"
    facts = tuple({"who": who, "cap": cap} for who, cap in product(KEYS, (0, 1, 2)))
    return RandomPolicy(_define(tools, rules, invariant, SESSION), remembering, facts)


def _claim(text: _Text, random: Random, *, from_start: bool) -> tuple[str, str]:
    """What holds of every cell: of a fresh one, if the session starts with such, but not of any."""
    while True:
        body = f"({text.condition(['c'], [])})"
        always = f"ledger.cells.all(c, {body})"
        domain = _define({"read": READ}, [], {"id": "kept", "always": always})
        worlds = [((n, s, k), (0, "a", None)) for n, s, k in product(*VALUES.values())]
        broken = [
            _is_broken(domain.always[0].always, _ledger(domain, world, (), {})) for world in worlds
        ]
        fresh = broken[worlds.index(((0, "a", None), (0, "a", None)))]
        if 2 <= sum(broken) < len(worlds) and not (from_start and fresh):
            return body, always


def _define(
    tools: Mapping[str, Any],
    rules: list[tuple[str, str]],
    invariant: Mapping[str, Any],
    session: Mapping[str, Any] | None = None,
) -> Domain:
    return Domain.define(
        "cells",
        tools=tools,
        ledger={"cells.*": "Cell"},
        definitions=DEFINITIONS,
        rules=[{"id": f"r{i}", "tools": [t], "require": r} for i, (t, r) in enumerate(rules)],
        invariants=[invariant],
        clock="2024-05-15T15:00:00",
        session=session,
    )


@dataclass
class Explored:
    """All that a policy allows, call by call.

    `broken` is the number of calls of the shortest sequence that breaks the invariant, `unfit`
    that of the shortest after which a record does not fit the schema; None if there is none in as
    many calls as were tried. No session can start at all unless it is `startable`.
    """

    broken: int | None = None
    unfit: int | None = None
    startable: bool = True


def explore(policy: RandomPolicy, most: int, *, beyond: bool = False) -> Explored:
    """Try all calls with all arguments, from all states that a session can start in.

    Unless the policy remembers calls, or the search goes `beyond` states that do not fit the
    schema, sequences of any length are tried.
    """
    limited = policy.remembering or beyond
    domain, found = policy.domain, Explored()
    (always,) = domain.always
    start = always.initially or always.always
    worlds = product(product(*VALUES.values()), repeat=len(KEYS))
    level: dict[State, None] = {
        (world, (), number): None
        for world in worlds
        for number, facts in enumerate(policy.facts)
        if not broken_at(start, _ledger(domain, world, (), facts))
    }
    found.startable = bool(level)
    seen = set(level)
    calls = 0
    while level and (calls <= most or not limited):
        following: dict[State, None] = {}
        for world, past, number in level:
            ledger = _ledger(domain, world, past, policy.facts[number])
            if _is_broken(always.always, ledger):
                found.broken = calls if found.broken is None else found.broken
            elif not beyond and not _fits(world):
                found.unfit = calls if found.unfit is None else found.unfit
            elif calls < most or not limited:
                for changed in _calls(policy, world, past, ledger):
                    after = (*changed, number)
                    if after not in seen:
                        seen.add(after)
                        following[after] = None
        level, calls = following, calls + 1
    return found


def _ledger(domain: Domain, world: World, past: Past, facts: Mapping[str, Any]) -> Ledger:
    ledger = Ledger(domain.ledger, facts=facts)
    for key, cell in zip(KEYS, world, strict=True):
        named = zip(VALUES, cell, strict=True)
        ledger.put("cells.*", (key,), {name: value for name, value in named if value is not None})
    for tool, id_, v, ok in past:
        ledger.history.add(tool, {"id": id_, "v": v}, "ALLOW", 0, ok=ok)
    return ledger


def _is_broken(statement: Assumption, ledger: Ledger) -> bool:
    return bool(broken_at(statement, ledger))


def _fits(world: World) -> bool:
    return all(v in VALUES[f] for cell in world for f, v in zip(VALUES, cell, strict=True))


def _calls(
    policy: RandomPolicy, world: World, past: Past, ledger: Ledger
) -> Iterator[tuple[World, Past]]:
    """What each possible call leads to."""
    domain = policy.domain
    for name, id_, v in product(TOOLS, KEYS, (0, 1) if policy.remembering else (0, 1, 2)):
        tool = domain.tools[name]
        names = {"args": {"id": id_, "v": v}, "now": domain.clock_us, "call": {"tool": name}}
        scope = Scope(ledger, names)
        rules = domain.rules_by_tool[name]
        allowed = all(truth(rule.holds, scope) is Truth.TRUE for rule in rules)
        if policy.remembering:  # refused, or allowed and failed
            yield world, (*past, (name, id_, v, False))
        if allowed:
            after = (*past, (name, id_, v, True)) if policy.remembering else past
            yield from ((changed, after) for changed in _effects(tool, scope, world, id_))


def _effects(tool: Tool, scope: Scope, world: World, id_: str) -> Iterator[World]:
    """The states that the effects lead to; more than one where a field may be anything."""
    number = KEYS.index(id_)
    declared: dict[str, Effect] = {str(effect.within[0]): effect for effect in tool.effects}
    touched = [str(touch.within[0]) for touch in tool.touches]
    options = [
        (evaluate(declared[name].value, scope),)
        if name in declared
        else (VALUES[name] if name in touched else (old,))
        for name, old in zip(VALUES, world[number], strict=True)
    ]
    for cell in product(*options):
        yield (*world[:number], cell, *world[number + 1 :])
