"""What the tools work on: the records as they are, and what a call answers and does."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.gate.cases import broken_at
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Unknown
from ledger_verify.policy.rules import Assumption
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import coercer
from ledger_verify.schema.render import to_json
from tests.worlds.lots import DESKS, IDS, random_desk, random_lot, random_till

TRIES = 40


@dataclass
class Environment:
    """The lots, desks and the till. `world` has the lots and the till, typed.

    At the path of the desk stands the one with which the session is; `desks` has all of them. The
    `statements` hold at the start, and of what is new.
    """

    domain: Domain
    random: Random
    desks: dict[str, Any] = field(default_factory=dict)
    statements: tuple[Assumption, ...] = ()
    _made: str | None = None
    _world: Ledger | None = None

    @property
    def world(self) -> Ledger:
        """The records of which there is one at most at a path."""
        assert self._world is not None
        return self._world

    def begin(self, statements: tuple[Assumption, ...], facts: Mapping[str, Any]) -> bool:
        """Draw an environment in which the statements hold; false if none was hit upon."""
        self.desks = {id: self._typed("desk", random_desk(self.random, id)) for id in DESKS}
        self.statements = statements
        for _ in range(TRIES):
            world = Ledger(self.domain.ledger, facts=facts)
            world.put("till", (), self._typed("till", random_till(self.random)))
            for id in IDS:
                if self.random.random() < 0.8:
                    world.put("lots.*", (id,), self._typed("lots.*", random_lot(self.random, id)))
            self._world = world
            if self.holds((*self.domain.assumptions, *statements)):
                return True
        return False

    def _typed(self, pattern: str, raw: Any) -> Any:
        return coercer(self.domain.ledger[pattern].record, self.domain.zone)(raw)

    def holds(self, statements: tuple[Assumption, ...]) -> bool:
        """Whether statements are true of the records."""
        return not any(broken_at(statement, self.world) for statement in statements)

    def plain(self, pattern: str, value: Any) -> Any:
        """A record as JSON."""
        return to_json(value, self.domain.ledger[pattern].record, self.domain.zone)

    # --- reads

    def shown(self, tool: str, call: Mapping[str, Any]) -> Any:
        """What a read answers; None if there is no such thing."""
        lots = {keys[0]: entry.value for keys, entry in self.world.entries["lots.*"].items()}
        if tool == "get_till":
            return self.plain("till", self.world.lookup("till", ()))
        if tool == "get_desk":
            desk = self.desks.get(call["id"])
            return None if desk is None else self.plain("desk", desk)
        id = self.world.facts["id"] if tool == "get_mine" else call["id"]
        if tool == "after":
            id = lots[id]["next"] if id in lots else None
        return self.plain("lots.*", lots[id]) if id in lots else None

    def another(self, tool: str) -> Any:
        """A record of another key than was asked for; None if there is none."""
        if tool == "get_desk":
            return self.plain("desk", self.random.choice(list(self.desks.values())))
        lots = [entry.value for entry in self.world.entries["lots.*"].values()]
        return self.plain("lots.*", self.random.choice(lots)) if lots else None

    # --- writes

    def change(self, tool: Tool, scope: Scope, desk: str | None) -> bool:
        """Make of the records what the call may make of them; false if it can do nothing.

        What nothing is said of keeps the assumptions as long as they hold; effects may not.
        """
        before, kept = self.world, self.holds(self.domain.assumptions)
        desks = dict(self.desks)
        for _ in range(TRIES):
            self._world, self.desks = before.copy(), dict(desks)
            if self._touch(tool, scope, desk):
                free = self.holds(self.domain.assumptions)
                if self._apply(tool, scope) and (
                    free or not kept or self.holds(self.domain.assumptions)
                ):
                    self._make(tool)
                    return True
        self._world, self.desks = before, desks
        return False

    def _make(self, tool: Tool) -> None:
        """A call that tells in its result which lot it is about may have made that lot."""
        self._made = None
        tells = any(o.pattern == "lots.*" and o.field_of_key(0) for o in tool.observes)
        if not tells or self.random.random() < 0.4:
            return
        before, id = self.world, f"new{len(self.world.entries['lots.*'])}"
        for _ in range(TRIES):
            self._world = before.copy()
            self._world.put("lots.*", (id,), self._typed("lots.*", random_lot(self.random, id)))
            if self.holds(self.statements) and self.holds(self.domain.assumptions):
                self._made = id
                return
        self._world = before

    def result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """What the last write returns: the lot that it made or is about, and the till."""
        lot = self.world.entries["lots.*"].get((self._made or call["id"],))
        till = self.plain("till", self.world.lookup("till", ()))
        return {"lot": None if lot is None else self.plain("lots.*", lot.value), "till": till}

    @property
    def ids(self) -> list[str]:
        """The lots that there may be."""
        return [*dict.fromkeys((*IDS, *(keys[0] for keys in self.world.entries["lots.*"])))]

    def _touch(self, tool: Tool, scope: Scope, desk: str | None) -> bool:
        """Anything at all where no effect is declared; false where a place cannot be told."""
        declared = {(e.pattern, e.keys, e.within) for e in tool.effects}
        for touch in tool.touches:
            if (touch.pattern, touch.keys, touch.within) in declared:
                continue
            keys = [None if key is None else evaluate(key, scope) for key in touch.keys]
            if any(isinstance(key, Unknown | Failure) for key in keys):
                return False
            steps = [str(step) for step in touch.within]
            if touch.pattern == "desk":
                if desk is not None:
                    drawn = self._typed("desk", random_desk(self.random, desk))
                    self.desks[desk] = _mixed(self.desks[desk], drawn, steps)
                continue
            for at in self._places(touch.pattern, keys, whole=not steps):
                self._redraw(touch.pattern, at, steps)
        return True

    def _places(self, pattern: str, keys: list[Any], *, whole: bool) -> list[tuple[Any, ...]]:
        """Where records are touched; of one that is touched as a whole there may be none before."""
        if pattern == "till":
            return [()]
        if keys == [None]:
            return list(self.world.entries["lots.*"])
        is_there = tuple(keys) in self.world.entries["lots.*"]
        return [tuple(keys)] if is_there or (whole and keys[0] in IDS) else []

    def _redraw(self, pattern: str, at: tuple[Any, ...], steps: list[str]) -> None:
        raw = random_lot(self.random, at[0]) if at else random_till(self.random)
        drawn, old = self._typed(pattern, raw), self.world.entries[pattern].get(at)
        if old is None and self.random.random() < 0.5:
            return  # it made none
        self.world.put(
            pattern, at, drawn if old is None else _mixed(deepcopy(old.value), drawn, steps)
        )

    def _apply(self, tool: Tool, scope: Scope) -> bool:
        for effect in tool.effects:
            keys = tuple(evaluate(key, scope) for key in effect.keys)
            value = evaluate(effect.value, scope)
            if (
                isinstance(value, Unknown | Failure)
                or keys not in self.world.entries[effect.pattern]
            ):
                return False
            steps, record = list(map(str, effect.within)), self.world.lookup(effect.pattern, keys)
            self.world.put(effect.pattern, keys, _with(deepcopy(record), steps, value))
        return True


def _with(record: Any, steps: list[str], value: Any) -> Any:
    step, rest = steps[0], steps[1:]
    return {**record, step: _with(record[step], rest, value) if rest else value}


def _mixed(old: Any, drawn: Any, steps: list[str]) -> Any:
    """The old value with what the other has at the steps."""
    if not steps:
        return drawn
    step, rest = steps[0], steps[1:]
    if rest:
        return {**old, step: _mixed(old[step], drawn[step], rest)}
    if step in drawn:
        return {**old, step: drawn[step]}
    return {name: value for name, value in old.items() if name != step}
