"""Which reads does the gate advise, and which of them could not have mattered?

    python -m benchmarks.advice FOLDER [--fillings N] [--only DOMAIN] [--verbose]

Every write that the recorded tasks expect is tried with nothing read, by an agent that makes the
first read that a verdict advises and asks again. Of each advised read it is then asked by brute
force whether it could have changed the decision: what it was made for is filled in with random
records that fit the schema, and with the one that it showed changed here and there, beside what was
known when it was made and beside all that was known in the end, and beside all else filled in, too.
A read of a known record for which no filling changes the decision is counted as idle.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.advised_worlds import Call, NotThere, World, talks_of, world_of
from benchmarks.fillings import Filler, named, scalars
from ledger_verify import Domain, Gate
from ledger_verify.gate import Session
from ledger_verify.gate.verdict import MissingRead, Verdict
from ledger_verify.ledger.paths import path_text
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.tools import ToolKind
from ledger_verify.schema.coerce import coercer

DOMAINS = ("airline", "retail", "telehealth", "telecom")
MAX_ROUNDS = 30
Place = tuple[str, tuple[Any, ...]]


# --- the writes that the tasks expect


@dataclass(frozen=True)
class Write:
    """A write that a task expects of a user."""

    call: Call
    user: str


def expected(path: Path, domain: Domain) -> Iterator[Write]:
    """The writes that the tasks of a recording expect, in one of the two public formats."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for one in data["simulations"] if isinstance(data, dict) else data:
        task = one.get("info", {}).get("task", {})
        checks = (one.get("reward_info") or {}).get("action_checks") or ()
        for action in task.get("actions") or [check["action"] for check in checks]:
            tool = domain.tools.get(action["name"])
            if tool is not None and tool.kind is ToolKind.WRITE and not tool.by_user:
                arguments = action.get("kwargs") or action.get("arguments") or {}
                yield Write((action["name"], arguments), task.get("user_id") or "")


def writes_of(files: Iterable[Path], world: World, domain: Domain) -> list[Write]:
    """The expected writes, each once; of recordings without any, those that were made."""
    found: dict[str, Write] = {}
    for path in files:
        writes = list(expected(path, domain)) or [
            Write(call, "") for talk in talks_of(path, domain) for call, _ in talk.writes
        ]
        for write in writes:
            owner = write.user or min(world.owners(write.call[1]), default="")
            if owner in world.said:
                found.setdefault(json.dumps(write.call, sort_keys=True), Write(write.call, owner))
    return list(found.values())


@dataclass
class Made:
    """A read that was made, what was known before, and the verdict that advised it."""

    read: MissingRead
    known: Ledger
    verdict: Verdict


@dataclass
class Tally:
    """What was advised; `idle` are the reads that could not matter, with the call."""

    writes: int = 0
    reads: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    idle: list[tuple[Call, MissingRead]] = field(default_factory=list)
    refusals_ms: list[float] = field(default_factory=list)

    def text(self, name: str) -> str:
        """The figures on one line."""
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.ends.items()))
        times = sorted(self.refusals_ms) or [0.0]
        middle, high = times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]
        return (
            f"{name}: {self.writes} writes: {ends}; {self.reads} advised reads made, "
            f"{self.reads / max(self.writes, 1):.2f} a write, {len(self.idle)} that could not "
            f"matter; a refusal took {middle:.0f} ms (p50), {high:.0f} ms (p99)"
        )


@dataclass
class Trial:
    """One write, by an agent that makes the first read that is advised and not yet made."""

    session: Session
    world: World
    write: Write
    tally: Tally
    made: list[Made] = field(default_factory=list)

    def follow(self) -> None:
        """Make the reads, verdict by verdict, until none is left."""
        tried: set[str] = set()
        for _ in range(MAX_ROUNDS):
            started = time.perf_counter()
            verdict = self.session.dry_run(*self.write.call)
            if not verdict.allowed:
                self.tally.refusals_ms.append((time.perf_counter() - started) * 1000)
            for missing in verdict.missing:
                if missing.read is not None and str(missing.read) not in tried:
                    tried.add(str(missing.read))
                    known = self.session.ledger.copy()
                    if self._make(missing):
                        self.made.append(Made(missing, known, verdict))
                        break
            else:
                break
        self.tally.writes += 1
        self.tally.reads += len(self.made)
        self.tally.ends[verdict.decision.value] += 1

    def _make(self, missing: MissingRead) -> bool:
        """Make the read, if the user or a search can tell its arguments."""
        read, knows = missing.read, self.world.said[self.write.user]
        assert read is not None
        number = next(iter(missing.path.split(".")[1:2]), "")
        found = {**self.world.routes.get(number, {}), **knows}
        arguments = {n: found.get(n) if v is None else v for n, v in read.arguments.items()}
        if None in arguments.values():
            return False
        try:
            answer = self.world.answer(read.name, arguments)
            self.session.observe(read.name, arguments, answer)
        except NotThere as problem:
            self.session.observe(read.name, arguments, str(problem), error=True)
        return True

    def idle(self, gate: Gate, fillings: int, seed: int) -> Iterator[MissingRead]:
        """The reads for which no filling changes the decision."""
        final = self.session.ledger
        values = [entry.value for _, _, entry in final.records()]
        pool = [
            *scalars(values),
            *scalars(self.write.call[1]),
            *named(gate.domain, self.write.call[0]),
        ]
        filler = Filler(gate.domain, Random(seed), pool)
        for one in self.made:
            pattern, keys = place_of(gate.domain, one.read.path, final)
            # which record is meant where a key is open only another read will tell
            if "*" not in one.read.path and not (
                self._settles(gate, one, (pattern, keys), filler, fillings)
                or any(self._tells(gate, one, (pattern, keys), filler) for _ in range(fillings))
            ):
                yield one.read

    def _settles(self, gate: Gate, one: Made, place: Place, filler: Filler, fillings: int) -> bool:
        """Whether some filling changes the decision on what was known then, or in the end."""
        final, (pattern, keys) = self.session.ledger, place
        type_, shown = gate.domain.ledger[pattern].record, final.lookup(pattern, keys)
        decisions = ((one.known, one.verdict.decision), (final, self._decide(gate, final).decision))
        for number in range(fillings):
            is_changed = number % 2 and isinstance(shown, dict | str | int)
            beside, before = decisions[number % 3 > 1]
            ledger = beside.copy()
            value = filler.changed(shown, type_) if is_changed else filler.value(type_)
            ledger.put(pattern, keys, value)
            if self._decide(gate, ledger).decision is not before:
                return True
        return False

    def _tells(self, gate: Gate, one: Made, place: Place, filler: Filler) -> bool:
        """Whether two fillings differ in whether it is allowed, all else being known and equal."""
        few = filler.of_few(3)
        others: dict[Place, Any] = {}
        found = set()
        for _ in range(4):
            ledger = one.known.copy()
            ledger.put(*place, few.value(gate.domain.ledger[place[0]].record))
            for other, value in others.items():
                ledger.put(*other, value)
            verdict = self._decide(gate, ledger)
            while filled := [
                other
                for missing in verdict.missing
                if "*" not in missing.path
                and (other := place_of(gate.domain, missing.path, ledger)) not in (place, *others)
            ]:
                for other in filled:
                    others[other] = few.value(gate.domain.ledger[other[0]].record)
                    ledger.put(*other, others[other])
                verdict = self._decide(gate, ledger)
            found.add(verdict.allowed)
        return len(found) > 1

    def _decide(self, gate: Gate, ledger: Ledger) -> Verdict:
        session = gate.session()
        session.ledger = ledger
        return session.dry_run(*self.write.call)


def place_of(domain: Domain, path: str, ledger: Ledger) -> Place:
    """The pattern and the keys of a record that a verdict names by its path."""
    for pattern, keys, _ in ledger.records():
        if path_text(domain, pattern, keys) == path:
            return pattern, keys
    steps = path.split(".")
    for pattern, spec in domain.ledger.items():
        parts = pattern.split(".")
        pairs = list(zip(parts, steps, strict=False))
        if len(parts) == len(steps) and all(part in ("*", step) for part, step in pairs):
            told = [step for part, step in pairs if part == "*"]
            return pattern, tuple(
                coercer(type_, domain.zone)(text)
                for type_, text in zip(spec.keys, told, strict=True)
            )
    raise KeyError(path)


def run(gate: Gate, world: World, writes: Iterable[Write], fillings: int) -> Tally:
    """Try the writes, each in a session of its own."""
    tally = Tally()
    for write in writes:
        session = gate.session()
        session.heard(f"{', '.join(world.said[write.user].values())}: {json.dumps(write.call[1])}")
        trial = Trial(session, world, write, tally)
        trial.follow()
        if fillings:
            tally.idle += [(write.call, read) for read in trial.idle(gate, fillings, seed=7)]
    return tally


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="reads that are advised and could not matter")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fillings", type=int, default=200, help="fillings for each read")
    parser.add_argument("--only", choices=DOMAINS, help="only this domain")
    parser.add_argument("--verbose", action="store_true", help="show the calls in full")
    options = parser.parse_args(arguments)
    idle = 0
    for name in DOMAINS if options.only is None else (options.only,):
        gate = Gate(Domain.load(name))
        files = sorted(options.folder.glob(f"*_{name}*.json"))
        talks = [talk for file in files for talk in talks_of(file, gate.domain)]
        world = world_of(name, options.folder, talks)
        tally = run(gate, world, writes_of(files, world, gate.domain), options.fillings)
        print(tally.text(name), flush=True)
        for (tool, given), read in tally.idle:
            shown = json.dumps(given) if options.verbose else "..."
            print(f"  {tool}({shown}): {read.path}: {read.read}")
        idle += len(tally.idle)
    return 1 if idle else 0


if __name__ == "__main__":
    sys.exit(main())
