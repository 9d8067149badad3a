"""What only the user can give must have been said, and the first who was identified stays."""

import logging
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate import Session
from ledger_verify.gate.verdict import Decision
from ledger_verify.lang.errors import InputError

USER = {"user_id": "string", "tier": {"enum": ["basic", "gold"]}, "nick": "string?"}


def desk(**tools: dict[str, Any]) -> Domain:
    """Users who close their own tickets; `tools` change or add tools."""
    known: dict[str, dict[str, Any]] = {
        "get_user": {
            "kind": "read",
            "arguments": {"user_id": "string"},
            "asks": ["user_id"],
            "identifies": "user",
            "observes": {"user": "result"},
        },
        "find_user": {
            "kind": "read",
            "arguments": {"email": "string", "zip?": "string?"},
            "asks": {"email": "ignoring_case", "zip": "exact"},
            "identifies": "user",
            "observes": {"user": "result"},
        },
        "peek": {"kind": "read", "arguments": {"what": "string"}, "observes": {"user": "result"}},
        "get_ticket": {
            "kind": "read",
            "arguments": {"id": "string"},
            "observes": {"tickets.{args.id}": "result"},
        },
        "close": {
            "kind": "write",
            "arguments": {"id": "string"},
            "touches": ["tickets.{args.id}", "user.tier"],
        },
    }
    for name, tool in tools.items():
        known[name] = {**known.get(name, {}), **tool}
    return Domain.define(
        "desk",
        definitions={
            "User": {
                "type": "object",
                "properties": {
                    "user_id": {"type": "string"},
                    "tier": {"enum": ["basic", "gold"]},
                    "nick": {"type": "string"},
                },
                "required": ["tier"],
            },
            "Ticket": {
                "type": "object",
                "required": ["owner"],
                "properties": {"owner": {"type": "string"}},
            },
        },
        ledger={"user": {"record": "User", "key": "user_id"}, "tickets.*": "Ticket"},
        tools=known,
        rules=[
            {
                "id": "own_ticket",
                "tools": ["close"],
                "require": "ledger.tickets[args.id].owner == ledger.user.user_id",
                "message": "Ticket {args.id} is not theirs.",
            },
        ],
    )


DESK = desk()
GATE = Gate(DESK)
MIA, BEN = ({"user_id": who, "tier": "gold"} for who in ("mia_1", "ben_2"))


def session_of(*said: str, gate: Gate = GATE) -> Session:
    session = gate.session()
    for text in said:
        session.heard(text)
    return session


def shown(session: Session) -> list[str]:
    return [line.split(" = ")[0] for line in session.render().splitlines()]


# --- asks


def test_a_read_whose_argument_was_never_said_waits_for_the_user() -> None:
    verdict = session_of("Close T1 please.").check("get_user", {"user_id": "mia_1"})
    assert verdict.decision is Decision.REVISE
    assert verdict.ask == ("user_id",)
    assert verdict.decided_by == "asks"
    assert 'the user never said user_id = "mia_1"' in verdict.message
    assert "Ask the user for `user_id`" in verdict.message
    assert verdict.to_json()["ask"] == ["user_id"]
    assert session_of("I am mia_1.").check("get_user", {"user_id": "mia_1"}).allowed


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ((), False),
        (("mia_1",), True),
        (("My id:mia_1, thanks",), True),
        (("I am mia_12",), False),
        (("I am amia_1",), False),
        (("mia_1@example.com",), False),
        (("mia_", "1"), False),
        (("nothing", "(mia_1)"), True),
    ],
)
def test_what_an_unheard_read_shows_is_no_evidence(said: tuple[str, ...], counts: bool) -> None:
    session = session_of(*said)
    drifts = session.observe("get_user", {"user_id": "mia_1"}, MIA)
    assert [d.reason for d in drifts] == ([] if counts else ["the user never said `user_id`"])
    assert shown(session) == (["user"] if counts else [])
    assert session.check("get_user", {"user_id": "mia_1"}).allowed is counts


def test_what_is_heard_after_the_call_does_not_count_for_it() -> None:
    session = session_of("hello")
    session.heard("mia_1")
    (drift,) = session.observe("get_user", {"user_id": "mia_1"}, MIA, heard=1)
    assert drift.reason == "the user never said `user_id`"
    assert session.observe("get_user", {"user_id": "mia_1"}, MIA, heard=2) == []


def test_results_and_the_models_own_words_are_not_said() -> None:
    session = session_of("hello")
    session.observe("get_ticket", {"id": "T1"}, {"owner": "mia_1"})
    assert session.check("get_user", {"user_id": "mia_1"}).decision is Decision.REVISE


def test_null_and_what_is_left_out_need_nothing_and_empty_was_never_said() -> None:
    session = session_of("Mia@Example.com")
    for more in ({}, {"zip": None}):
        assert session.check("find_user", {"email": "mia@example.com", **more}).allowed
    for zip_ in ("", "12345"):
        verdict = session.check("find_user", {"email": "mia@example.com", "zip": zip_})
        assert verdict.ask == ("zip",)


def test_a_write_asks_too_and_a_block_stays_one() -> None:
    gate = Gate(desk(close={"asks": ["id"]}))
    session = session_of("I am mia_1", gate=gate)
    session.observe("get_user", {"user_id": "mia_1"}, MIA)
    for id_, owner in (("T1", "mia_1"), ("T2", "ben_2")):
        session.observe("get_ticket", {"id": id_}, {"owner": owner})
    mine = session.check("close", {"id": "T1"})
    assert (mine.decision, mine.ask) == (Decision.REVISE, ("id",))
    assert session.check("close", {"id": "T2"}).decision is Decision.BLOCK
    waiting = session.check("close", {"id": "T3"})
    assert (waiting.decision, waiting.ask) == (Decision.REVISE, ("id",))
    assert [m.path for m in waiting.missing] == ["tickets.T3"]
    session.heard("close T1, not T3")
    assert session.check("close", {"id": "T1"}).allowed
    assert session.check("close", {"id": "T3"}).ask == ()


def test_a_test_of_ones_own_is_an_expression() -> None:
    own = {"asks": {"id": "messages.exists(m, m == 'close ' + value)"}}
    gate = Gate(desk(get_ticket=own))
    assert session_of("close T1", gate=gate).check("get_ticket", {"id": "T1"}).allowed
    for said in ("please close T1", "close T12", "T1"):
        assert session_of(said, gate=gate).check("get_ticket", {"id": "T1"}).ask == ("id",)


def test_lists_are_said_item_by_item() -> None:
    tool = {"kind": "read", "arguments": {"ids": "string[]"}, "asks": ["ids"]}
    gate = Gate(desk(look={**tool, "observes": {}}))
    assert session_of("T1 and", "T2", gate=gate).check("look", {"ids": ["T2", "T1"]}).allowed
    assert session_of("T1 and", gate=gate).check("look", {"ids": ["T2", "T1"]}).ask == ("ids",)


def test_ignoring_what_was_said_is_loud(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="ledger_verify.gate"):
        gate = Gate(DESK, asks="ignored")
        session = gate.session()
        assert session.observe("get_user", {"user_id": "mia_1"}, MIA) == []
        assert session.check("get_user", {"user_id": "ben_2"}).allowed
    assert sum("`asks` is ignored" in record.getMessage() for record in caplog.records) == 1
    assert not gate.session(asks="enforced").check("get_user", {"user_id": "mia_1"}).allowed
    with pytest.raises(InputError, match="expected 'enforced' or 'ignored'"):
        Gate(DESK, asks="off")
    with pytest.raises(InputError, match="text, not int"):
        gate.session().heard(5)  # type: ignore[arg-type]


# --- identifies


def test_the_first_who_was_identified_stays() -> None:
    session = session_of("I am mia_1, my sister is ben_2")
    assert session.observe("get_user", {"user_id": "mia_1"}, MIA) == []
    (drift,) = session.observe("get_user", {"user_id": "ben_2"}, BEN)
    assert drift.reason == "this conversation is with `mia_1`, the record is that of `ben_2`"
    assert session.ledger.lookup("user", ())["user_id"] == "mia_1"
    session.observe("get_ticket", {"id": "T2"}, {"owner": "ben_2"})
    verdict = session.check("close", {"id": "T2"})
    assert verdict.decision is Decision.BLOCK
    assert verdict.missing == ()
    assert "This conversation is with `mia_1`" in verdict.message


def test_the_same_one_is_refreshed_by_any_read() -> None:
    session = session_of("mia_1")
    for tool, arguments in (("get_user", {"user_id": "mia_1"}), ("peek", {"what": "x"})):
        assert session.observe(tool, arguments, {**MIA, "nick": tool}) == []
        assert session.ledger.lookup("user", ())["nick"] == tool


def test_only_reads_that_identify_say_who_the_user_is() -> None:
    session = session_of("x")
    (drift,) = session.observe("peek", {"what": "x"}, MIA)
    assert drift.reason == "nobody was identified so far, and `peek` does not identify anyone"
    assert session.render() == ""
    verdict = session.check("close", {"id": "T1"})
    reads = {m.path: m.read for m in verdict.missing}
    assert reads["user"] is not None
    assert (reads["user"].name, reads["user"].arguments) == ("get_user", {"user_id": None})


def test_a_record_that_does_not_say_whose_it_is_identifies_nobody() -> None:
    session = session_of("mia_1")
    (drift,) = session.observe("get_user", {"user_id": "mia_1"}, {"tier": "gold"})
    assert drift.reason == "whose record it is cannot be told: it has no `user_id`"
    assert session.observe("get_user", {"user_id": "mia_1"}, {"oops": 1}) != []
    session.observe("get_user", {"user_id": "mia_1"}, "Error", error=True)
    session.interrupted("get_user", {"user_id": "mia_1"})
    assert session.render() == ""
    assert session.observe("get_user", {"user_id": "mia_1"}, MIA) == []


def test_a_tool_that_answers_with_somebody_else_identifies_nobody() -> None:
    session = Gate(desk()).session()
    session.heard("I am ann, ann@example.com.")
    (drift,) = session.observe("get_user", {"user_id": "ann"}, {"user_id": "eve", "tier": "gold"})
    assert drift.reason == "the record of `ann` was asked for, this is that of `eve`"
    assert "user" not in session.ledger.identities
    found = session.observe(
        "find_user", {"email": "ann@example.com"}, {"user_id": "ann", "tier": "gold"}
    )
    assert found == []
    assert session.ledger.identities["user"] == "ann"


def test_what_went_stale_is_read_again_of_the_same_user() -> None:
    session = session_of("mia_1, and ben_2")
    session.observe("get_user", {"user_id": "mia_1"}, MIA)
    session.observe("no_such_tool", {}, {})  # all is stale now
    session.observe("get_ticket", {"id": "T1"}, {"owner": "mia_1"})
    session.observe("get_ticket", {"id": "T2"}, {"owner": "ben_2"})
    assert session.check("close", {"id": "T1"}).allowed  # whose record it is stays known
    assert session.check("close", {"id": "T2"}).decision is Decision.BLOCK
    (drift,) = session.observe("get_user", {"user_id": "ben_2"}, BEN)
    assert "with `mia_1`" in drift.reason


def test_a_stale_profile_is_advised_with_the_key_of_the_conversation() -> None:
    domain = desk(
        upgrade={"kind": "write", "arguments": {"id": "string"}, "touches": ["user.tier"]}
    )
    rule = {"id": "gold", "tools": ["upgrade"], "require": 'ledger.user.tier == "gold"'}
    gate = Gate(_with_rule(domain, rule))
    session = gate.session()
    session.record("user", MIA)  # known without a word of the user
    session.observe("upgrade", {"id": "T1"}, {})
    (missing,) = session.check("upgrade", {"id": "T1"}).missing
    assert missing.read is not None
    assert missing.read.arguments == {"user_id": "mia_1"}
    assert session.check("get_user", missing.read.arguments).allowed
    assert session.observe("get_user", missing.read.arguments, MIA) == []


def _with_rule(domain: Domain, rule: dict[str, Any]) -> Domain:
    data = {part: file.data for part, file in domain.sources.items()}
    return Domain.define(
        "desk",
        definitions=data["schema"]["$defs"],
        ledger=data["domain"]["ledger"],
        tools=data["domain"]["tools"],
        rules=[*data["policy"]["rules"], rule],
    )


def test_a_stranger_is_never_advised_and_never_served() -> None:
    """An agent that does what it is told, with the id that the records show it."""
    session = session_of("Please close T1.")
    session.observe("get_ticket", {"id": "T1"}, {"owner": "mia_1"})
    (missing,) = session.check("close", {"id": "T1"}).missing
    assert missing.read is not None
    assert missing.read.arguments == {"user_id": None}
    assert session.observe("get_user", {"user_id": "mia_1"}, MIA) != []
    assert not session.check("close", {"id": "T1"}).allowed
    session.heard("I am mia_1")
    (missing,) = session.check("close", {"id": "T1"}).missing
    assert missing.read is not None
    assert missing.read.arguments["user_id"] in (None, "mia_1")
    assert session.observe("get_user", {"user_id": "mia_1"}, MIA) == []
    assert session.check("close", {"id": "T1"}).allowed


# --- what is refused at load


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        ({"get_user": {"asks": ["usr_id"]}}, "has no argument `usr_id`"),
        ({"get_user": {"asks": {"user_id": "exct"}}}, "`exct` is no test"),
        ({"get_user": {"asks": {"user_id": "value =="}}}, "ends too early"),
        ({"get_user": {"asks": {"user_id": "value"}}}, "no test"),
        ({"get_user": {"asks": {"user_id": "value + '' == args.user_id"}}}, "`args`"),
        ({"close": {"arguments": {"id": "string", "sure": "boolean"}, "asks": ["sure"]}}, "bool"),
        ({"close": {"arguments": {"id": "string", "at": "datetime"}, "asks": ["at"]}}, "timestamp"),
        (
            {"close": {"arguments": {"id": "string", "n": "number"}, "asks": {"n": "date"}}},
            "`exact`",
        ),
        ({"get_user": {"identifies": "tickets.*"}}, "does not observe `tickets.*`"),
        ({"get_ticket": {"identifies": "tickets.*"}}, "can hold many records"),
        ({"close": {"identifies": "user"}}, "does not observe"),
    ],
)
def test_what_makes_no_sense_is_refused(tools: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as problem:
        desk(**tools)
    assert told in problem.value.message
    assert problem.value.location is not None


def test_a_session_fact_of_the_same_name_needs_no_word() -> None:
    data = {part: file.data for part, file in DESK.sources.items()}
    domain = Domain.define(
        "desk",
        definitions=data["schema"]["$defs"],
        ledger=data["domain"]["ledger"],
        tools=data["domain"]["tools"],
        rules=data["policy"]["rules"],
        session={"user_id": "string"},
    )
    session = Gate(domain).session(facts={"user_id": "mia_1"})
    assert session.check("get_user", {"user_id": "mia_1"}).allowed
    assert session.check("get_user", {"user_id": "ben_2"}).ask == ("user_id",)
    session.observe("get_ticket", {"id": "T1"}, {"owner": "ben_2"})
    (missing,) = session.check("close", {"id": "T1"}).missing
    assert missing.read is not None
    assert missing.read.arguments == {"user_id": "mia_1"}
    assert session.observe("get_user", {"user_id": "mia_1"}, MIA) == []
    assert session.check("close", {"id": "T1"}).decision is Decision.BLOCK
