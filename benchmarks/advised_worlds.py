"""Environments in memory for the agent that follows all advice: what a read answers, whose a record
is, and what each user can say of himself.

Airline and retail answer from their databases. Telehealth and telecom answer what was answered to
the same read in a recording; what no recording shows is not there.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger_verify import Domain
from ledger_verify.gate.verdict import ReadCall
from ledger_verify.policy.tools import ToolKind

Database = Mapping[str, Mapping[str, Any]]
Call = tuple[str, dict[str, Any]]


class NotThere(Exception):
    """The environment has no such thing; its text is what the tool says."""


@dataclass(frozen=True)
class World:
    """An environment: its reads; by argument the records that it may name, each with its owner; by
    user what that user can say, by the name of the argument; and between which places flights are.
    """

    name: str
    answer: Callable[[str, dict[str, Any]], Any]
    records: Mapping[str, Mapping[str, str]]
    said: Mapping[str, Mapping[str, str]]
    routes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def read(self, call: ReadCall) -> Any:
        """What the tool answers; raises `NotThere`."""
        return self.answer(call.name, dict(call.arguments))

    def owners(self, arguments: Mapping[str, Any]) -> set[str]:
        """Whose records a call is about."""
        named = [(self.records[n], str(v)) for n, v in arguments.items() if n in self.records]
        return {owner[value] for owner, value in named if value in owner}

    def speaker(self, messages: Sequence[str]) -> str | None:
        """The user who speaks: the first one named there by an identifier, or by full name."""
        text = " ".join(messages).casefold()
        for sure in (True, False):
            found = [
                (min(places), user)
                for user, said in self.said.items()
                if (places := [text.find(name) for name in _names(said, sure) if name in text])
            ]
            if found:
                return min(found)[1]
        return None


def _names(said: Mapping[str, str], sure: bool) -> list[str]:
    if sure:
        ids = ("user_id", "patient_id", "customer_id", "email", "phone_number")
        return [said[name].casefold() for name in ids if name in said]
    whole = said.get("full_name") or f"{said.get('first_name')} {said.get('last_name')}"
    return [whole.casefold()]


# --- from databases


def stored(name: str, database: Database) -> World:
    """The airline or the retail domain over its database."""

    def answer(tool: str, arguments: dict[str, Any]) -> Any:
        return READS[tool](database, **arguments)

    key, table = {"airline": ("reservation_id", "reservations"), "retail": ("order_id", "orders")}[
        name
    ]
    records = {
        key: {id_: record["user_id"] for id_, record in database[table].items()},
        "user_id": {id_: id_ for id_ in database["users"]},
    }
    said = {
        id_: {"user_id": id_, "email": user["email"], **user["name"]}
        | {"zip": user["address"]["zip"]}
        for id_, user in database["users"].items()
    }
    routes = {
        number: {"origin": flight["origin"], "destination": flight["destination"]}
        for number, flight in database.get("flights", {}).items()
    }
    return World(name, answer, records, said, routes)


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
    last = [offer for offer in offers if offer["destination"] == destination]
    return [
        [one, two]
        for one in offers
        if one["origin"] == origin
        for two in last
        if one["destination"] == two["origin"]
    ]


def _status(database: Database, flight_number: str, date: str) -> Any:
    try:
        return database["flights"][flight_number]["dates"][date]["status"]
    except KeyError:
        raise NotThere("Error: flight not found") from None


def _by_email(database: Database, email: str) -> Any:
    return _found(database, lambda user: user["email"].casefold() == email.casefold())


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


# --- recordings


@dataclass
class Talk:
    """A recorded conversation: its writes, each with what the user had said before; its answers."""

    writes: list[tuple[Call, tuple[str, ...]]] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)


def talks_of(path: Path, domain: Domain) -> Iterator[Talk]:
    """The conversations of a recording in one of the two public formats.

    Its answers are those of the reads before the first write.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    for recorded in data["simulations"] if isinstance(data, dict) else data:
        talk, heard, waiting = Talk(), [], dict[str, str]()
        for message in recorded.get("messages") or recorded.get("traj") or ():
            if message["role"] == "user" and message.get("content"):
                heard.append(str(message["content"]))
            for call in message.get("tool_calls") or ():
                name, arguments = _call(call)
                tool = domain.tools.get(name)
                if tool is None or tool.by_user:
                    continue
                if tool.kind is ToolKind.WRITE:
                    talk.writes.append(((name, arguments), tuple(heard)))
                elif tool.kind is ToolKind.READ and not talk.writes:
                    waiting[call["id"]] = _place(name, arguments)
            if message["role"] == "tool" and not message.get("error"):
                place = waiting.pop(str(message.get("tool_call_id") or message.get("id")), None)
                if place is not None:
                    talk.answers.setdefault(place, message["content"])
        yield talk


def _call(call: Mapping[str, Any]) -> Call:
    called = call.get("function", call)
    arguments = called["arguments"]
    return called["name"], json.loads(arguments) if isinstance(arguments, str) else arguments


def _place(tool: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([tool, arguments], sort_keys=True)


def _recorded(talks: Iterable[Talk]) -> Callable[[str, dict[str, Any]], Any]:
    answers: dict[str, str] = {}
    for talk in talks:
        answers = {**talk.answers, **answers}

    def answer(tool: str, arguments: dict[str, Any]) -> Any:
        text = answers.get(_place(tool, arguments))
        if text is None or text.startswith("Error"):
            raise NotThere(text or "Error: not found")
        try:
            return json.loads(text)
        except ValueError:
            return text

    return answer


def telehealth(talks: Iterable[Talk], folder: Path) -> World:
    """The telehealth domain as its recordings answered."""
    tables = {
        name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("patients", "appointments", "medical_records")
    }
    records = {
        "appointment_id": {k: v["patient_id"] for k, v in tables["appointments"].items()},
        "record_id": {k: v["patient_id"] for k, v in tables["medical_records"].items()},
        "patient_id": {k: k for k in tables["patients"]},
    }
    said = {
        id_: {"patient_id": id_, "email": patient["demographics"]["email"] or "nobody@example.com"}
        | {"date_of_birth": patient["demographics"]["date_of_birth"], **patient["name"]}
        for id_, patient in tables["patients"].items()
    }
    return World("telehealth", _recorded(talks), records, said)


def telecom(talks: Iterable[Talk], file: Path) -> World:
    """The telecom domain as its recordings answered."""
    customers = tomllib.loads(file.read_text(encoding="utf-8"))["customers"]
    records: dict[str, dict[str, str]] = {
        "customer_id": {c["customer_id"]: c["customer_id"] for c in customers},
        "line_id": {id_: c["customer_id"] for c in customers for id_ in c["line_ids"]},
        "bill_id": {id_: c["customer_id"] for c in customers for id_ in c["bill_ids"]},
    }
    names = ("customer_id", "full_name", "phone_number")
    said = {
        c["customer_id"]: {**{n: c[n] for n in names}, "dob": str(c["date_of_birth"])}
        for c in customers
    }
    return World("telecom", _recorded(talks), records, said)


def world_of(name: str, folder: Path, talks: Sequence[Talk]) -> World:
    """The world of one of the four domains, from the folder of the published data."""
    if name == "telehealth":
        return telehealth(talks, folder / "telehealth")
    if name == "telecom":
        return telecom(talks, folder / "telecom_db.toml")
    return stored(name, json.loads((folder / f"{name}_db.json").read_text(encoding="utf-8")))
