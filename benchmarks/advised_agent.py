"""An agent that follows all advice, over the writes of recordings with the ids of others put in.

    python -m benchmarks.advised_agent FOLDER      # airline_db.json, retail_db.json, recordings

It starts each call with nothing read, makes the first read that a verdict advises, and says what
only the user can say: what the user of the conversation knows of himself. It ends where the verdict
is final, or asks for what that user does not know.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from ledger_verify import Domain, Gate
from ledger_verify.gate import Session
from ledger_verify.gate.verdict import ReadCall, Repair

MAX_ROUNDS = 60
Database = Mapping[str, Mapping[str, Any]]
Call = tuple[str, dict[str, Any]]


class NotThere(Exception):
    """The environment has no such thing; its text is what the tool says."""


@dataclass(frozen=True)
class World:
    """An environment in memory: its reads, whose its records are, what the user can say."""

    domain: str
    database: Database
    key: str
    table: str

    def read(self, call: ReadCall) -> Any:
        """What the tool answers; raises `NotThere`."""
        return READS[call.name](self.database, **call.arguments)

    def owner(self, arguments: Mapping[str, Any]) -> str | None:
        """Whose record a call is about."""
        record = self.database[self.table].get(str(arguments.get(self.key)), {})
        owner = record.get("user_id", arguments.get("user_id"))
        return None if owner is None else str(owner)

    def said(self, user_id: str) -> dict[str, Any]:
        """What the user can say."""
        user = self.database["users"][user_id]
        address = {"zip": user["address"]["zip"]}
        return {"user_id": user_id, "email": user["email"], **user["name"], **address}


def _of(table: str) -> Callable[..., Any]:
    def read(database: Database, **arguments: Any) -> Any:
        (key,) = arguments.values()
        if key not in database[table]:
            raise NotThere(f"Error: {table.removesuffix('s')} not found")
        return database[table][key]

    return read


def _offers(database: Database, day: str) -> Iterator[dict[str, Any]]:
    for flight in database["flights"].values():
        offer = flight["dates"].get(day, {})
        if offer.get("status") == "available":
            yield {**{k: v for k, v in flight.items() if k != "dates"}, **offer}


def _direct(database: Database, origin: str, destination: str, date: str) -> Any:
    found = _offers(database, date)
    return [f for f in found if (f["origin"], f["destination"]) == (origin, destination)]


def _onestop(database: Database, origin: str, destination: str, date: str) -> Any:
    offers = [{**offer, "date": date} for offer in _offers(database, date)]
    return [
        [one, two]
        for one in offers
        for two in offers
        if one["origin"] == origin
        and one["destination"] == two["origin"]
        and two["destination"] == destination
    ]


def _status(database: Database, flight_number: str, date: str) -> Any:
    try:
        return database["flights"][flight_number]["dates"][date]["status"]
    except KeyError:
        raise NotThere("Error: flight not found") from None


def _by_email(database: Database, email: str) -> Any:
    return _found(database, lambda user: user["email"] == email)


def _by_name(database: Database, first_name: str, last_name: str, zip: str) -> Any:
    wanted = {"first_name": first_name, "last_name": last_name}
    return _found(database, lambda u: u["name"] == wanted and u["address"]["zip"] == zip)


def _found(database: Database, fits: Callable[[Any], bool]) -> str:
    for user_id, user in database["users"].items():
        if fits(user):
            return user_id
    raise NotThere("Error: user not found")


READS: dict[str, Callable[..., Any]] = {
    "get_user_details": _of("users"),
    "get_reservation_details": _of("reservations"),
    "get_order_details": _of("orders"),
    "get_product_details": _of("products"),
    "search_direct_flight": _direct,
    "search_onestop_flight": _onestop,
    "get_flight_status": _status,
    "find_user_id_by_email": _by_email,
    "find_user_id_by_name_zip": _by_name,
}
WORLDS = {"airline": ("reservation_id", "reservations"), "retail": ("order_id", "orders")}


@dataclass
class Tally:
    """What happened to the calls."""

    verdicts: Counter[str] = field(default_factory=Counter)
    foreign: int = 0
    foreign_allowed: list[Call] = field(default_factory=list)
    reads: int = 0
    refused_reads: list[ReadCall] = field(default_factory=list)
    repeated: list[Call] = field(default_factory=list)
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


def follow(session: Session, world: World, user_id: str, call: Call, tally: Tally) -> str:
    """Follow all advice on a call; how it ended: a decision, or `asks the user`."""
    said = world.said(user_id)
    hear = getattr(session, "heard", None)
    if hear is not None:
        words = [v for v in call[1].values() if isinstance(v, str)]
        hear(" ".join(f'"{word}"' for word in [*map(str, said.values()), *words]))
    name, arguments = call
    seen: set[str] = set()
    for rounds in range(MAX_ROUNDS):
        tally.most_rounds = max(tally.most_rounds, rounds)
        verdict = session.dry_run(name, arguments)
        if verdict.decision.value != "REVISE":
            return verdict.decision.value
        reads = [m.read for m in verdict.missing if m.read is not None]
        filled = next((r for r in (_filled(read, said) for read in reads) if r is not None), None)
        step: Any = filled or verdict.repair
        if filled is None and not _is_whole(verdict.repair):
            return "asks the user"
        if str(step) in seen:
            tally.repeated.append((name, arguments))
            return "in circles"
        seen.add(str(step))
        if filled is None:
            assert verdict.repair is not None
            kept = {k: v for k, v in arguments.items() if k not in verdict.repair.without}
            arguments = {**kept, **verdict.repair.arguments}
            continue
        tally.reads += 1
        if not session.dry_run(filled.name, filled.arguments).allowed:
            tally.refused_reads.append(filled)
        try:
            session.observe(filled.name, filled.arguments, world.read(filled))
        except NotThere as answer:
            session.observe(filled.name, filled.arguments, str(answer), error=True)
    tally.repeated.append((name, arguments))
    return "in circles"


def _filled(read: ReadCall, said: Mapping[str, Any]) -> ReadCall | None:
    """The read with what the user can say; None if that is not all."""
    arguments = {n: said.get(n) if v is None else v for n, v in read.arguments.items()}
    return None if None in arguments.values() else ReadCall(read.name, arguments)


def _is_whole(repair: Repair | None) -> bool:
    return repair is not None and not repair.ask


def writes_of(path: Path, domain: Domain) -> Iterator[Call]:
    """The writes of a recording in one of the two public formats."""
    data = json.loads(path.read_text(encoding="utf-8"))
    talks = data["simulations"] if isinstance(data, dict) else data
    names = {tool.name for tool in domain.writes}
    for talk in talks:
        for message in talk.get("messages") or talk.get("traj") or ():
            for call in message.get("tool_calls") or ():
                called = call.get("function", call)
                arguments = called["arguments"]
                if called["name"] in names:
                    yield (
                        called["name"],
                        json.loads(arguments) if isinstance(arguments, str) else arguments,
                    )


def run(
    name: str, database: Database, calls: list[Call], gate: Gate, seed: int = 0, every: int = 1
) -> Tally:
    """Each call as it was, of a stranger, and about a record that does not exist."""
    key, table = WORLDS[name]
    world, tally, random = World(name, database, key, table), Tally(), Random(seed)
    users, records = sorted(database["users"]), sorted(database[table])
    distinct = {json.dumps(call, sort_keys=True): call for call in calls}
    for tool, arguments in list(distinct.values())[::every]:
        owner = world.owner(arguments)
        if owner is None or owner not in database["users"]:
            continue
        stranger = random.choice([user for user in users if user != owner])
        told = key if key in arguments else "user_id"
        other = random.choice(records if told == key else users)
        nobody = {**arguments, told: f"{str(arguments[told])[:-1]}_"}
        for user, proposed in (
            (owner, arguments),
            (stranger, arguments),
            (owner, {**arguments, told: other}),
            (owner, nobody),
        ):
            call = (tool, dict(proposed))
            foreign = world.owner(proposed) not in (None, user)
            tally.foreign += foreign
            end = follow(gate.session(), world, user, call, tally)
            tally.verdicts[end] += 1
            if foreign and end == "ALLOW":
                tally.foreign_allowed.append(call)
    return tally


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="an agent that follows all advice")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every Nth write")
    options = parser.parse_args(arguments)
    faults = 0
    for name in WORLDS:
        gate = Gate(Domain.load(name))
        database = json.loads((options.folder / f"{name}_db.json").read_text(encoding="utf-8"))
        files = sorted(options.folder.glob(f"*_{name}*.json"))
        calls = [call for file in files for call in writes_of(file, gate.domain)]
        tally = run(name, database, calls, gate, every=options.every)
        print(tally.text(name), flush=True)
        faults += tally.faults
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
