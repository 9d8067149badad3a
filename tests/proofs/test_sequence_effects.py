"""Effects on values of every kind, and touches of every kind without one."""

from collections.abc import Mapping
from typing import Any

import pytest

from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import Proof
from tests.proofs.refunds import result_of

DATE: Mapping[str, Any] = {"type": "string", "format": "date"}
TASK: Mapping[str, Any] = {
    "type": "object",
    "required": ["tags", "names", "due", "made", "owner", "count", "done"],
    "properties": {
        "tags": {"type": "object", "additionalProperties": {"type": "integer"}},
        "names": {"type": "array", "items": {"type": "string"}},
        "due": {"type": "string", "format": "date-time"},
        "made": {"type": "string", "format": "date-time"},
        "owner": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "done": {"type": ["boolean", "null"]},
        "place": {"$ref": "#/$defs/Place"},
        "day": DATE,
        "days": {"type": "array", "items": DATE},
        "marked": {"type": "object", "additionalProperties": DATE},
        "few": {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2},
        "rooms": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Room"}},
    },
}
ROOM: Mapping[str, Any] = {
    "type": "object",
    "required": ["seats"],
    "properties": {
        "seats": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "maxProperties": 1,
        },
    },
}
PLACE: Mapping[str, Any] = {
    "type": "object",
    "required": ["city", "floor"],
    "properties": {"city": {"type": "string"}, "floor": {"type": "integer"}},
}
T = "ledger.tasks[args.id]"


def tasks(
    rule: str,
    always: str,
    effects: Mapping[str, str],
    *,
    touches: list[Any] | None = None,
    initially: str | None = None,
    tool: Mapping[str, Any] | None = None,
    **arguments: str,
) -> Domain:
    """One tool, `change`, on records at `tasks.*` and the plain records `current` and `main`."""
    change = {
        "kind": "write",
        "arguments": {"id": "string", **arguments},
        "touches": list(effects) if touches is None else touches,
        "effects": dict(effects),
        **(tool or {}),
    }
    start = {} if initially is None else {"initially": initially}
    return Domain.define(
        "tasks",
        ledger={"tasks.*": "Task", "current": "string", "main": "Task"},
        definitions={"Task": TASK, "Place": PLACE, "Room": ROOM},
        tools={
            "read": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"tasks.{args.id}": "result"},
            },
            "look": {"kind": "read", "observes": {"current": "result.id", "main": "result.task"}},
            "change": change,
        },
        rules=[{"id": "rule", "tools": ["change"], "require": rule}],
        invariants=[{"id": "kept", "always": always, **start}],
    )


def at(path: str, value: str) -> dict[str, str]:
    return {f"tasks.{{args.id}}.{path}": value}


def every(body: str) -> str:
    return f"ledger.tasks.all(t, {body})"


ADD_TAG = at("tags.{args.tag}", "1")
ADD_FEW = at("few.{args.tag}", "1")
ADD_SEAT = at("rooms.{args.room}.seats.{args.seat}", "args.id")
FEW = every("!has(t.few) || size(t.few) <= 3")
SEATS = every('!has(t.rooms) || !("a" in t.rooms) || size(t.rooms["a"].seats) <= 2')
ADD_NAME = at("names", f"{T}.names + [args.name]")
SHARE = at("share", "args.a / args.b")
START = "timestamp('2024-05-15T00:00:00Z')"
DAY_KEPT = every(f"!has(t.day) || t.day <= {START}")
DAYS_KEPT = every(f"!has(t.days) || t.days.all(d, d <= {START})")
MARKED_KEPT = every(f'!has(t.marked) || !("a" in t.marked) || t.marked["a"] <= {START}')
NO_MORE = every("t.count <= 5")

OUTCOMES: Mapping[str, tuple[Proof, Domain]] = {
    "keys of a map": (
        Proof.PROVED,
        tasks(
            f"args.tag in {T}.tags || size({T}.tags) < 2", every("size(t.tags) <= 2"), ADD_TAG,
            tag="string",
        ),
    ),
    "one key too many": (
        Proof.REFUTED,
        tasks(f"size({T}.tags) <= 2", every("size(t.tags) <= 2"), ADD_TAG, tag="string"),
    ),
    "values of a map": (
        Proof.PROVED,
        tasks("true", every("t.tags.all(k, t.tags[k] >= 1)"), ADD_TAG, tag="string"),
    ),
    "a value of a map": (
        Proof.REFUTED,
        tasks("true", every("t.tags.all(k, t.tags[k] > 1)"), ADD_TAG, tag="string"),
    ),
    "a map with room for one more": (
        Proof.PROVED,
        tasks(f"has({T}.few) && (args.tag in {T}.few || size({T}.few) < 2)", FEW, ADD_FEW,
              tag="string"),
    ),
    "a map that may have no room": (
        Proof.UNDECIDED,
        tasks(f"has({T}.few)", FEW, ADD_FEW, tag="string"),
    ),
    "a map with room for one of two more": (
        Proof.UNDECIDED,
        tasks(f"has({T}.few) && size({T}.few) < 2", FEW,
              {**ADD_FEW, **at("few.{args.other}", "2")}, tag="string", other="string"),
    ),
    "a map with room for two more": (
        Proof.PROVED,
        tasks(f"has({T}.few) && size({T}.few) == 0", FEW,
              {**ADD_FEW, **at("few.{args.other}", "2")}, tag="string", other="string"),
    ),
    "a map in a map with room for one more": (
        Proof.PROVED,
        tasks(f"has({T}.rooms) && args.room in {T}.rooms && size({T}.rooms[args.room].seats) < 1",
              SEATS, ADD_SEAT, room="string", seat="string"),
    ),
    "a map in a map that may have no room": (
        Proof.UNDECIDED,
        tasks(f"has({T}.rooms) && args.room in {T}.rooms", SEATS, ADD_SEAT,
              room="string", seat="string"),
    ),
    "too many in a map with room": (
        Proof.REFUTED,
        tasks(f"has({T}.few) && (args.tag in {T}.few || size({T}.few) < 2)",
              every("!has(t.few) || size(t.few) < 2"), ADD_FEW,
              initially=every("!has(t.few) || size(t.few) == 0"), tag="string"),
    ),
    "a list that grows": (
        Proof.PROVED,
        tasks(f"size({T}.names) < 3", every("size(t.names) <= 3"), ADD_NAME, name="string"),
    ),
    "a list that grows too long": (
        Proof.REFUTED,
        tasks(f"size({T}.names) <= 3", every("size(t.names) <= 3"), ADD_NAME, name="string"),
    ),
    "a list that becomes empty": (
        Proof.PROVED,
        tasks("true", every('t.names.all(n, n != "x")'), at("names", "[]")),
    ),
    "items that were not there": (
        Proof.REFUTED,
        tasks("true", every('t.names.all(n, n != "x")'), ADD_NAME, name="string"),
    ),
    "the present": (
        Proof.PROVED,
        tasks(f"now >= {T}.made", every("t.due >= t.made"), at("due", "now")),
    ),
    "a present that may be too early": (
        Proof.REFUTED,
        tasks("true", every("t.due >= t.made"), at("due", "now")),
    ),
    "a date": (
        Proof.REFUTED,
        tasks("true", every(f"!has(t.day) || t.day <= {START}"), at("day", "args.day"), day="date"),
    ),
    "a date that stays on the right side": (
        Proof.PROVED,
        tasks(f"args.day <= {START}", every(f"!has(t.day) || t.day <= {START}"),
              at("day", "args.day"), day="date"),
    ),
    "the start of a day for a date": (
        Proof.REFUTED, tasks("true", DAY_KEPT, at("day", "now")),
    ),
    "a time of day for a date": (
        Proof.UNDECIDED, tasks(f"now <= {START}", DAY_KEPT, at("day", "now")),
    ),
    "starts of days for dates": (
        Proof.REFUTED, tasks("true", DAYS_KEPT, at("days", "[now]")),
    ),
    "times of day for dates": (
        Proof.UNDECIDED, tasks(f"now <= {START}", DAYS_KEPT, at("days", "[now]")),
    ),
    "the start of a day among the dates of a map": (
        Proof.REFUTED,
        tasks(f"has({T}.marked)", MARKED_KEPT, at("marked.{args.tag}", "now"), tag="string"),
    ),
    "a time of day among the dates of a map": (
        Proof.UNDECIDED,
        tasks(f"has({T}.marked) && now <= {START}", MARKED_KEPT, at("marked.{args.tag}", "now"),
              tag="string"),
    ),
    "inside of texts": (
        Proof.PROVED,
        tasks('args.to.startsWith("a")', every('t.owner.startsWith("a")'),
              at("owner", "args.to"), to="string"),
    ),
    "inside of other texts": (
        Proof.REFUTED,
        tasks('args.to.endsWith("a")', every('t.owner.startsWith("a")'),
              at("owner", "args.to"), to="string"),
    ),
    "null": (
        Proof.PROVED,
        tasks("true", every("t.done == null || t.done"), at("done", "null")),
    ),
    "null where there may be none": (
        Proof.REFUTED,
        tasks("true", every("t.done != null"), at("done", "null")),
    ),
    "a value that is always there": (
        Proof.PROVED,
        tasks("args.b > 0 && args.a > 0", every("!has(t.share) || t.share > 0"), SHARE,
              a="number", b="number"),
    ),
    "a value that may be none": (
        Proof.UNDECIDED,
        tasks("args.b >= 0 && args.a > 0", every("!has(t.share) || t.share > 0"), SHARE,
              a="number", b="number"),
    ),
    "a part of a part": (
        Proof.PROVED,
        tasks(f"has({T}.place) && args.n >= 0",
              every("!has(t.place) || t.place.floor >= 0"), at("place.floor", "args.n"),
              n="integer"),
    ),
    "a part of what may not be there": (
        Proof.UNDECIDED,
        tasks("args.n >= 0", every("!has(t.place) || t.place.floor >= 0"),
              at("place.floor", "args.n"), n="integer"),
    ),
    "the rest of a part": (
        Proof.PROVED,
        tasks(f"has({T}.place)", every('!has(t.place) || t.place.city == "x"'),
              at("place.floor", "args.n"), n="integer"),
    ),
    "a record that another one names": (
        Proof.PROVED,
        tasks("args.n <= 5", NO_MORE, {"tasks.{ledger.current}.count": "args.n"}, n="integer"),
    ),
    "a plain record as a whole": (
        Proof.PROVED,
        tasks('args.id != "x"', 'ledger.current != "x"', {"current": "args.id"}),
    ),
    "a field of a plain record": (
        Proof.REFUTED,
        tasks("true", "ledger.main.count <= 5", {"main.count": "ledger.main.count + 1"}),
    ),
    "two effects at once see the state before": (
        Proof.PROVED,
        tasks(
            "true",
            every("t.due == t.made"),
            {**at("due", f"{T}.made"), **at("made", f"{T}.due")},
        ),
    ),
    "any history": (
        Proof.PROVED,
        tasks("size(history) < 2", NO_MORE, at("count", f"{T}.count + 1"),
              initially=every("t.count == 3")),
    ),
    "any history that is longer": (
        Proof.REFUTED,
        tasks("size(history) < 3", NO_MORE, at("count", f"{T}.count + 1"),
              initially=every("t.count == 3")),
    ),
    "calls that change records which nothing reads": (
        Proof.REFUTED,
        tasks("size(history.change) < 2", "history.change.filter(c, c.ok).size() < 2",
              at("done", "null")),
    ),
    "no more such calls than are allowed": (
        Proof.PROVED_UP_TO_BOUND,
        tasks("size(history.change) < 2", "history.change.filter(c, c.ok).size() <= 2",
              at("done", "null")),
    ),
    "calls with an effect that never has a value": (
        Proof.UNDECIDED,
        tasks("size(history.change) < 2", "history.change.filter(c, c.ok).size() < 2",
              at("count", "1 / 0")),
    ),
    "a record of a list, touched": (
        Proof.REFUTED,
        tasks("true", NO_MORE, {}, ids="string[]",
              touches=[{"path": "tasks.{item}.count", "each": "args.ids"}]),
    ),
    "another field of a record of a list": (
        Proof.PROVED,
        tasks("true", NO_MORE, {}, ids="string[]",
              touches=[{"path": "tasks.{item}.owner", "each": "args.ids"}]),
    ),
    "a record that the result names": (
        Proof.REFUTED,
        tasks("true", NO_MORE, {}, touches=["tasks.{result.task}.count"],
              tool={"result": {"whole": "changed (?P<task>.+)"}}),
    ),
    "an entry of a map, touched": (
        Proof.REFUTED,
        tasks("true", every('!("a" in t.tags)'), {}, touches=["tasks.{args.id}.tags.{args.tag}"],
              tag="string"),
    ),
    "another entry of a map": (
        Proof.PROVED,
        tasks('args.tag != "a"', every('!("a" in t.tags)'), {},
              touches=["tasks.{args.id}.tags.{args.tag}"], tag="string"),
    ),
    "all entries of a map": (
        Proof.REFUTED,
        tasks("true", every('!("a" in t.tags) || t.tags["a"] == 1'), {},
              touches=["tasks.{args.id}.tags.*"]),
    ),
    "an optional field, touched": (
        Proof.REFUTED,
        tasks("true", every("!has(t.share)"), {}, touches=["tasks.{args.id}.share"]),
    ),
    "a result that cannot be read may come of a change": (
        Proof.REFUTED,
        tasks("!history.change.exists(c, c.ok)", NO_MORE, at("count", f"{T}.count + 1"),
              initially=every("t.count == 4"), tool={"result": {"whole": "done"}}),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("proof", "domain"), OUTCOMES.values(), ids=OUTCOMES)
def test_outcomes(proof: Proof, domain: Domain) -> None:
    result = result_of(domain, 3)
    assert result.proof is proof
    assert (result.counterexample is not None) is (proof is Proof.REFUTED)
    assert bool(result.reasons) is (proof is Proof.UNDECIDED)


@pytest.mark.parametrize(
    "name",
    [
        "a map that may have no room",
        "a map with room for one of two more",
        "a map in a map that may have no room",
        "a time of day for a date",
        "times of day for dates",
        "a time of day among the dates of a map",
    ],
)
def test_what_does_not_fit_the_schema_is_told(name: str) -> None:
    reasons = result_of(OUTCOMES[name][1], 3).reasons
    assert reasons
    assert all(reason.endswith("can put there what the schema forbids") for reason in reasons)


def test_a_change_whose_result_cannot_be_read_does_not_count_as_done() -> None:
    _, domain = OUTCOMES["a result that cannot be read may come of a change"]
    found = result_of(domain, 3).counterexample
    assert found is not None
    first, second = found.sequence.calls
    assert (first.ok, first.done, second.done) == (False, True, True)
