"""An agent that follows all advice, over the writes of recordings with the ids of others put in.

    python -m benchmarks.advised_agent FOLDER [--every N] [--only DOMAIN]

It starts each write with nothing read, and with what the user had said in the conversation until
then. It makes the first read that a verdict advises; what only the user can give it asks of the
user, who says what he knows of himself. It ends where the verdict is final, or asks for what that
user does not know.

Each write is tried as it was; with a stranger speaking; with a stranger speaking and an agent that
makes the owner's details up; about the record of another; and about one that does not exist.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.advised_worlds import Call, NotThere, Talk, World, talks_of, world_of
from ledger_verify import Domain, Gate
from ledger_verify.gate import Session
from ledger_verify.gate.verdict import ReadCall, Repair

MAX_ROUNDS = 60
DOMAINS = ("airline", "retail", "telehealth", "telecom")


@dataclass
class Tally:
    """What happened to the calls."""

    verdicts: Counter[str] = field(default_factory=Counter)
    foreign: int = 0
    foreign_allowed: list[Call] = field(default_factory=list)
    reads: int = 0
    refused_reads: list[tuple[ReadCall, str]] = field(default_factory=list)
    repeated: list[tuple[Call, str]] = field(default_factory=list)
    most_rounds: int = 0

    @property
    def calls(self) -> int:
        """How many calls were tried."""
        return self.verdicts.total()

    @property
    def faults(self) -> int:
        """Foreign records written, advice refused, calls that went round in circles."""
        return len(self.foreign_allowed) + len(self.refused_reads) + len(self.repeated)

    def text(self, name: str) -> str:
        """The figures on one line."""
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.verdicts.items()))
        return (
            f"{name}: {self.calls} calls ({self.foreign} about records of others): {ends}; "
            f"{self.reads / max(self.calls, 1):.2f} reads a call, at most {self.most_rounds} "
            f"rounds; {len(self.foreign_allowed)} foreign records written, "
            f"{len(self.refused_reads)} advised reads refused, "
            f"{len(self.repeated)} calls in circles"
        )


@dataclass
class Agent:
    """Follows all advice in one session.

    The user can say `knows`; where an agent `guesses`, it takes these values and nobody says them.
    """

    session: Session
    world: World
    knows: Mapping[str, str]
    tally: Tally
    guesses: bool = False
    _told: set[str] = field(default_factory=set)

    def follow(self, call: Call) -> str:
        """How the call ended: a decision, `asks the user`, or `in circles`."""
        name, arguments = call
        seen: set[str] = set()
        for rounds in range(MAX_ROUNDS):
            self.tally.most_rounds = max(self.tally.most_rounds, rounds)
            verdict = self.session.dry_run(name, arguments)
            if verdict.decision.value != "REVISE":
                return verdict.decision.value
            advised = [m.read for m in verdict.missing if m.read is not None]
            # asked once more, the user has nothing else to say
            read = next((r for r in advised if self._knows_all(r) and str(r) not in seen), None)
            step: Any = read or verdict.repair
            if read is None and not _is_whole(verdict.repair):
                if self._says(verdict.ask, arguments):
                    continue
                if any(self._waits(read) for read in advised) or verdict.ask or verdict.repair:
                    return "asks the user"
                break
            if str(step) in seen:
                break
            seen.add(str(step))
            if read is not None:
                self._make(read)
            elif verdict.repair is not None:
                kept = {k: v for k, v in arguments.items() if k not in verdict.repair.without}
                arguments = {**kept, **verdict.repair.arguments}
        self.tally.repeated.append(((name, arguments), verdict.message))
        return "in circles"

    def _knows_all(self, read: ReadCall) -> bool:
        return all(v is not None or n in self.knows for n, v in read.arguments.items())

    def _waits(self, read: ReadCall) -> bool:
        """Whether the read waits for what only the user can say, or for what nobody here knows."""
        tool = self.session.domain.tools[read.name]
        open_ones = {name for name, value in read.arguments.items() if value is None}
        return bool(open_ones & {*tool.asks}) or not self._knows_all(read)

    def _says(self, names: Sequence[str], arguments: Mapping[str, Any]) -> bool:
        """The user says the values of the call that were asked for, if they are his; each once."""
        mine = [n for n in names if self.knows.get(n) == arguments.get(n) and n not in self._told]
        if self.guesses or not mine or len(mine) < len(names):
            return False
        self._told.update(mine)
        for name in mine:
            self.session.heard(f"My {name.replace('_', ' ')}: {self.knows[name]}")
        return True

    def _make(self, read: ReadCall) -> None:
        self.tally.reads += 1
        open_ones = [name for name, value in read.arguments.items() if value is None]
        filled = ReadCall(
            read.name, {n: self.knows[n] if v is None else v for n, v in read.arguments.items()}
        )
        if open_ones and not self.guesses:
            self.session.heard(", ".join(f"{name}: {self.knows[name]}" for name in open_ones))
        verdict = self.session.dry_run(filled.name, filled.arguments)
        if not verdict.allowed and not (open_ones and self.guesses):
            self.tally.refused_reads.append((filled, verdict.message))
        try:
            self.session.observe(filled.name, filled.arguments, self.world.read(filled))
        except NotThere as answer:
            self.session.observe(filled.name, filled.arguments, str(answer), error=True)


def _is_whole(repair: Repair | None) -> bool:
    return repair is not None and not repair.ask


@dataclass(frozen=True)
class Trial:
    """A write that is tried: who speaks, what was said, what the agent knows or makes up."""

    call: Call
    user: str
    messages: tuple[str, ...]
    knows: Mapping[str, str]
    guesses: bool = False


def trials(world: World, talks: Iterable[Talk], seed: int = 0, every: int = 1) -> list[Trial]:
    """The writes of the conversations, each once, and what is made of them."""
    random, users = Random(seed), sorted(world.said)
    said = [messages for talk in talks for _, messages in talk.writes]
    speakers = [(messages, world.speaker(messages)) for messages in said]
    writes = {json.dumps(write, sort_keys=True): write for talk in talks for write in talk.writes}
    made = []
    for (tool, arguments), messages in list(writes.values())[::every]:
        owners = world.owners(arguments)
        user = world.speaker(messages) or min(owners, default=None)
        if user is None or not owners:
            continue
        mine, call = world.said[user], (tool, arguments)
        strangers = [u for u in users if u not in owners]
        stranger = random.choice(strangers)
        others = [(m, u) for m, u in speakers if u is not None and u not in owners]
        theirs, speaking = random.choice(others) if others else ((), stranger)
        # who names the owner by id claims to be the owner, which nobody can tell from outside
        about = [str(v) for v in arguments.values() if str(v) not in world.said]
        asked = (*theirs, f"Please do it: {', '.join(about)}.")
        named = random.choice([n for n in arguments if n in world.records])
        other = random.choice([k for k, o in sorted(world.records[named].items()) if o != user])
        made += [
            Trial(call, user, messages, mine),
            Trial(call, speaking, asked, world.said[speaking]),
            Trial(call, stranger, ("Please do it.",), world.said[min(owners)], guesses=True),
            Trial((tool, {**arguments, named: other}), user, messages, mine),
            Trial((tool, {**arguments, named: f"{str(arguments[named])[:-1]}_"}), user, messages,
                  mine),
        ]  # fmt: skip
    return made


def run(gate: Gate, world: World, tried: Iterable[Trial]) -> Tally:
    """Try the writes, each in a session of its own."""
    tally = Tally()
    for trial in tried:
        session = gate.session()
        for message in trial.messages:
            session.heard(message)
        agent = Agent(session, world, trial.knows, tally, trial.guesses)
        foreign = bool(world.owners(trial.call[1]) - {trial.user})
        tally.foreign += foreign
        end = agent.follow(trial.call)
        tally.verdicts[end] += 1
        if foreign and end == "ALLOW":
            tally.foreign_allowed.append(trial.call)
    return tally


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="an agent that follows all advice")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every Nth write")
    parser.add_argument("--only", choices=DOMAINS, help="only this domain")
    options = parser.parse_args(arguments)
    faults = 0
    for name in DOMAINS if options.only is None else (options.only,):
        gate = Gate(Domain.load(name), explain_ms=None)
        files = sorted(options.folder.glob(f"*_{name}*.json"))
        talks = [talk for file in files for talk in talks_of(file, gate.domain)]
        world = world_of(name, options.folder, talks)
        tally = run(gate, world, trials(world, talks, every=options.every))
        print(tally.text(name), flush=True)
        for fault in [*tally.foreign_allowed, *tally.refused_reads, *tally.repeated]:
            print(f"  {fault}")
        faults += tally.faults
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
