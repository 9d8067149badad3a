"""`diff`: what a change newly allows and refuses, proved or shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ledger_verify.comparison import compare
from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change, Counterexample, DiffReport, Direction
from ledger_verify.comparison.search import Effort
from ledger_verify.comparison.sides import Side
from ledger_verify.gate.gate import Gate
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.query import Limits
from tests.comparison.stall import TICKET, TOOLS, T, stall

NONE, FOUND, UNDECIDED = Change.NONE, Change.FOUND, Change.UNDECIDED
OPEN = f'{T}.state == "open"'
USED = f'{T}.state != "used"'


def directions(report: DiffReport, tool: str = "refund") -> tuple[Direction, Direction]:
    (found,) = [t for t in report.tools if t.tool == tool]
    for direction, allowing in ((found.allowed, report.new), (found.refused, report.old)):
        if direction.change is FOUND:
            refusing = report.old if allowing is report.new else report.new
            check_example(direction.counterexample, allowing, refusing)
    return found.allowed, found.refused


def check_example(found: Counterexample | None, allowing: Domain, refusing: Domain) -> None:
    """The gates say, asked anew, what the counterexample says of them."""
    assert found is not None
    verdicts = {
        side.label: side.verdict(found.case)
        for side in (Side.of("ALLOWS", allowing), Side.of("REFUSES", refusing))
    }
    assert verdicts["ALLOWS"].allowed
    assert not verdicts["REFUSES"].allowed
    told = found.old if found.refused_by == "OLD" else found.new
    assert told.verdict.decision is verdicts["REFUSES"].decision


def changes(old: Domain, new: Domain) -> tuple[Change, Change]:
    allowed, refused = directions(diff(old, new))
    assert (allowed.bound, refused.bound) == (None, None)
    return allowed.change, refused.change


def example(direction: Direction) -> Counterexample:
    assert direction.counterexample is not None
    return direction.counterexample


# --- rules ---


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("args.amount <= 10", "args.amount <= 20", (FOUND, NONE)),
        ("args.amount <= 10", "args.amount <= 5", (NONE, FOUND)),
        ("args.amount <= 10", "args.amount != 10", (FOUND, FOUND)),
        (f'{OPEN} || args.how == "cash"', OPEN, (NONE, FOUND)),
        (OPEN, f'{OPEN} && args.how == "cash"', (NONE, FOUND)),
        (OPEN, f"{OPEN} || {T}.price == 0", (FOUND, NONE)),
        (f"{T}.seats.all(s, s < 3)", f"{T}.seats.all(s, s <= 3)", (FOUND, NONE)),
        (f"size({T}.seats) <= 6", f"size({T}.seats) <= 7", (FOUND, NONE)),
        (f"has({T}.note)", f'has({T}.note) && {T}.note != ""', (NONE, FOUND)),
        (OPEN, f"observed({T}) && {OPEN}", (NONE, NONE)),
        (f"!observed({T}) || {OPEN}", OPEN, (NONE, FOUND)),
    ],
)
def test_an_edited_rule(before: str, after: str, expected: tuple[Change, Change]) -> None:
    assert changes(stall(before), stall(after)) == expected
    assert changes(stall(after), stall(before)) == (expected[1], expected[0])


def test_an_example_of_a_moved_bound_lies_between_the_two() -> None:
    window = f'now - {T}.sold_at <= duration("{{}}h")'
    report = diff(stall(window.format(24)), stall(window.format(48)))
    allowed, refused = directions(report)
    assert refused == Direction(NONE)
    found = example(allowed)
    sold = found.case.ledger["tickets.ticket_1"]["sold_at"]
    assert "2024-05-13T15:00:00" <= sold < "2024-05-14T15:00:00"
    assert [(rule.id, rule.same) for rule in found.blamed] == [("r0", False)]
    assert report.rules.changed == ("r0",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'!({OPEN} && args.how == "cash")', f'!({OPEN}) || args.how != "cash"'),
        (f'now - {T}.sold_at <= duration("24h")', f'now - {T}.sold_at <= duration("1440m")'),
        (f"{T}.seats.all(s, s < 3)", f"!{T}.seats.exists(s, s >= 3)"),
        (f"{T}.seats.all(s, s < 3)", f"{T}.seats.all(seat, 3 > seat)"),
        ("args.amount <= 10", "args.amount < 11"),
        (f'{T}.state in ["open", "void"]', f'{T}.state == "open" || {T}.state == "void"'),
        (USED, f'{T}.state in ["open", "void"]'),
        (
            "!history.refund.exists(c, c.ok && c.args.id == args.id)",
            "history.refund.all(c, !c.ok || c.args.id != args.id)",
        ),
        (
            "sum(history.refund.map(c, c.ok, c.args.amount)) + args.amount <= 9",
            "!(sum(history.refund.map(c, c.ok, c.args.amount)) + args.amount > 9)",
        ),
    ],
)
def test_another_way_to_say_it_is_proved_equal(before: str, after: str) -> None:
    assert changes(stall(before), stall(after)) == (NONE, NONE)


def test_what_a_let_or_a_template_stands_for_is_equal() -> None:
    inlined = stall(f'{OPEN} && {T}.price > 3 && args.how == "card"')
    let = {"let": {"t": T}, "require": 't.state == "open" && t.price > 3 && args.how == "card"'}
    report = diff(inlined, stall(let))
    assert directions(report) == (Direction(NONE), Direction(NONE))
    assert report.rules.changed == ()
    owner = {"owner": f"{T}.state", "user": '"open"'}
    used = stall({"id": "r0", "use": "owned_by_user", "with": owner})
    assert changes(stall(OPEN), used) == (NONE, NONE)


def test_a_guard_is_a_part_of_its_rule() -> None:
    guarded = stall({"when": 'args.how == "cash"', "require": "args.amount <= 10"})
    assert changes(guarded, stall('args.how != "cash" || args.amount <= 10')) == (NONE, NONE)
    assert changes(guarded, stall("args.amount <= 10")) == (NONE, FOUND)


def test_rules_that_were_split_are_proved_equal() -> None:
    whole, split = stall(f"{OPEN} && args.amount <= 10"), stall(OPEN, "args.amount <= 10")
    assert changes(whole, split) == (NONE, NONE)


def test_an_added_rule_narrows_and_a_removed_one_widens() -> None:
    one, two = stall(OPEN), stall(OPEN, "args.amount <= 10")
    added = diff(one, two)
    allowed, refused = directions(added)
    assert (allowed, refused.change) == (Direction(NONE), FOUND)
    (blamed,) = example(refused).blamed
    assert (blamed.id, blamed.twin) == ("r1", None)
    assert (added.rules.added, added.rules.removed) == (("r1",), ())
    assert changes(two, one) == (FOUND, NONE)
    assert diff(two, one).rules.removed == ("r1",)


def test_the_example_breaks_one_rule_only_where_it_can() -> None:
    old = stall("args.amount <= 10", f"{T}.price <= 50")
    new = stall("args.amount <= 5", f"{T}.price <= 40")
    _, refused = directions(diff(old, new))
    assert len(example(refused).blamed) == 1


def test_messages_clauses_and_what_a_violation_leads_to_change_no_call() -> None:
    before = {"require": OPEN, "message": "No.", "clause": "Open ones."}
    after = {"require": OPEN, "message": "Not this one.", "otherwise": "block"}
    report = diff(stall(before), stall(after))
    assert directions(report) == (Direction(NONE), Direction(NONE))
    assert report.rules.changed == ("r0",)
    assert diff(stall(before), stall({"require": OPEN, "message": "?"})).rules.changed == ()


def test_history_and_records_in_examples() -> None:
    count = "history.refund.filter(c, c.ok && c.args.id == args.id).size() < {}"
    allowed, refused = directions(diff(stall(count.format(2)), stall(count.format(3))))
    assert refused == Direction(NONE)
    assert [call.ok for call in example(allowed).case.history] == [True, True]
    cheap = "records(ledger.tickets).all(t, t.price < {})"
    allowed, refused = directions(diff(stall(cheap.format(5)), stall(cheap.format(6))))
    assert [r["price"] for r in example(allowed).case.ledger.values()] == [5]
    assert refused.change is NONE


def test_a_rule_that_reads_the_history_fails_where_that_cannot_be_read() -> None:
    """Where it is not known which calls there were; the rule holds of every history else."""
    vacuous = stall(OPEN, "size(history.refund) >= 0")
    allowed, refused = directions(diff(stall(OPEN), vacuous))
    assert (allowed, refused.change) == (Direction(NONE), UNDECIDED)
    session = Side.of("NEW", vacuous).gate.session()
    ticket = {"state": "open", "price": 1, "sold_at": "2024-05-15T15:00:00", "seats": []}
    call = {"id": "t", "amount": 1, "how": "card"}
    session.record("tickets.t", ticket)
    assert session.check("refund", call).allowed
    session.interrupted("refund", call)
    session.record("tickets.t", ticket)
    assert session.dry_run("refund", call).allowed, "it holds whether or not the call ran"
    session.ledger.history.lose("refund")
    assert not session.dry_run("refund", call).allowed


def test_a_proof_with_a_bound_says_so() -> None:
    one = f"{T}.seats.exists_one(s, s > 3)"
    report = diff(stall(one), stall(f"size({T}.seats.filter(s, s > 3)) == 1"), Effort(scope=2))
    bounded = Direction(NONE, bound=4)
    assert directions(report) == (bounded, bounded)
    assert (report.differs, report.open, report.widening_open) == (False, True, True)


# --- schemas ---


def ticket(field: str, schema: Any) -> Mapping[str, Any]:
    return {field: schema}


@pytest.mark.parametrize(
    ("rule", "changed", "expected"),
    [
        (OPEN, ticket("state", {"enum": ["open", "used"]}), (NONE, NONE)),
        (USED, ticket("state", {"enum": ["open", "used"]}), (NONE, FOUND)),
        # whatever the record says, it holds for the one, and need not be read
        (
            f'{T}.state in ["open", "used"]',
            ticket("state", {"enum": ["open", "used"]}),
            (FOUND, NONE),
        ),
        (USED, ticket("state", {"enum": ["open", "used", "void", "lost"]}), (FOUND, NONE)),
        (
            f"{T}.price > 3",
            ticket("price", {"type": "integer", "minimum": 0, "maximum": 50}),
            (NONE, FOUND),
        ),
        (f"{T}.price > 3", ticket("price", {"type": "number"}), (FOUND, NONE)),
        (f"{T}.price > 3", ticket("price", {"type": ["integer", "null"]}), (FOUND, NONE)),
        (OPEN, ticket("tag", {"type": "string"}), (NONE, FOUND)),
        (
            f"{T}.seats.size() > 0",
            ticket("seats", {"type": "array", "items": {"type": "integer"}, "maxItems": 2}),
            (FOUND, FOUND),
        ),
    ],
)
def test_a_changed_schema_of_records(
    rule: str, changed: Mapping[str, Any], expected: tuple[Change, Change]
) -> None:
    """Both ways: what does not fit is no evidence."""
    old, new = stall(rule), stall(rule, ticket=changed)
    allowed, refused = directions(diff(old, new))
    back = directions(diff(new, old))
    assert (allowed.change, refused.change) == expected
    assert (back[1].change, back[0].change) == expected
    assert diff(old, new).notes == ("the schema of records at `tickets.*` was changed",)


def seller(*, closed: bool) -> dict[str, Any]:
    schema = {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}}
    return {**schema, "additionalProperties": not closed}


@pytest.mark.parametrize(
    ("around", "other_way"),
    [
        (lambda inner: inner, NONE),
        (lambda inner: {"anyOf": [inner, {"type": "null"}]}, NONE),
        (lambda inner: {"type": "array", "items": inner, "maxItems": 2}, NONE),
        (lambda inner: {"type": "object", "additionalProperties": inner}, UNDECIDED),
        (lambda inner: {"type": "object", "properties": {"deep": inner}}, NONE),
    ],
)
@pytest.mark.parametrize("where", ["ticket", "arguments"])
def test_fields_that_only_one_schema_refuses(where: str, around: Any, other_way: Change) -> None:
    """Somewhere in a record or in the arguments undeclared fields become forbidden, or allowed."""
    versions: list[dict[str, Any]] = [
        {where: {"seller": around(seller(closed=closed))}} for closed in (False, True)
    ]
    free, strict = (stall(OPEN, **version) for version in versions)
    allowed, refused = directions(diff(free, strict))
    back = directions(diff(strict, free))
    assert (allowed.change, refused.change) == (back[1].change, back[0].change)
    assert (allowed.change, refused.change) == (other_way, FOUND)


def test_a_whole_record_may_hold_fields_that_only_one_schema_refuses() -> None:
    schema = {"type": "object", "required": ["state"], "properties": {"state": {"enum": ["open"]}}}
    free, strict = (
        Domain.define(
            "stall", tools=TOOLS, ledger={"tickets.*": "Ticket"}, clock="2024-05-15T15:00:00",
            definitions={"Ticket": {**schema, **closed}},
            rules=[{"id": "r0", "tools": ["refund"], "require": f"observed({T}) && {OPEN}"}],
        )
        for closed in ({}, {"additionalProperties": False})
    )  # fmt: skip
    assert directions(diff(free, strict))[1].change is FOUND
    assert directions(diff(strict, free))[0].change is FOUND


def test_what_only_one_schema_keeps_out_may_be_missing_evidence() -> None:
    rule = f"!observed({T}) || {T}.price < 5"
    narrow = ticket("price", {"type": "integer", "minimum": 0, "maximum": 50})
    allowed, refused = directions(diff(stall(rule), stall(rule, ticket=narrow)))
    assert example(allowed).case.ledger["tickets.ticket_1"]["price"] > 50
    assert example(allowed).new.misfits
    assert refused == Direction(NONE)


def test_a_schema_that_is_wider_here_and_narrower_there_may_stay_undecided() -> None:
    moved = ticket("price", {"type": "integer", "maximum": 50})
    allowed, refused = directions(
        diff(stall(f"{T}.price > 3"), stall(f"{T}.price > 3", ticket=moved))
    )
    assert refused.change is FOUND
    assert allowed.change is UNDECIDED
    assert allowed.reason is not None
    assert "`tickets.*`" in allowed.reason


@pytest.mark.parametrize("other", ["^[a-z]", "^[a-z]+$"])
def test_forms_of_texts_that_the_solver_cannot_spell_stay_undecided(other: str) -> None:
    rule, fields = f'{T}.note != ""', [*TICKET["required"], "note"]
    odd, plain = (
        stall(rule, ticket={"note": {"type": "string", "pattern": pattern}}, required=fields)
        for pattern in (r"^[a-z]+\b", other)
    )
    assert changes(odd, plain) == changes(plain, odd) == (UNDECIDED, UNDECIDED)


def test_a_required_field_keeps_records_without_it_out() -> None:
    strict = stall(OPEN, required=["state", "price", "sold_at", "seats", "note"])
    allowed, refused = directions(diff(stall(OPEN), strict))
    assert allowed == Direction(NONE)
    assert "note" not in example(refused).case.ledger["tickets.ticket_1"]
    (misfit,) = example(refused).new.misfits
    assert "`note`" in misfit


def test_fields_of_another_kind_are_told_from_each_other() -> None:
    text = stall(f'{T}.seats == "a"', ticket=ticket("seats", {"type": "string"}))
    assert changes(stall(f"size({T}.seats) > 0"), text) == (FOUND, FOUND)


def test_records_that_no_rule_reads_do_not_matter() -> None:
    narrow = ticket("price", {"type": "integer", "minimum": 10})
    rule = 'args.how == "card"'
    report = diff(stall(rule), stall(rule, ticket=narrow))
    assert directions(report) == (Direction(NONE), Direction(NONE))
    assert report.notes


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"amount": {"type": "integer", "maximum": 10}}, (NONE, FOUND)),
        ({"amount": "number"}, (FOUND, NONE)),
        ({"how": {"enum": ["card", "cash", "gift"]}}, (FOUND, NONE)),
        ({"why": "string"}, (FOUND, FOUND)),
        ({"why?": "string"}, (FOUND, NONE)),
        ({"how": None}, (FOUND, FOUND)),
        ({"id": {"type": "string", "pattern": "^T[0-9]+$"}}, (NONE, FOUND)),
        ({"id": {"type": "string", "minLength": 3}}, (NONE, FOUND)),
        ({"id": "string?"}, (NONE, NONE)),
    ],
)
def test_changed_arguments(changed: Mapping[str, Any], expected: tuple[Change, Change]) -> None:
    old, new = stall(OPEN), stall(OPEN, arguments=changed)
    assert changes(old, new) == expected
    assert changes(new, old) == (expected[1], expected[0])


def test_a_path_that_only_one_side_has() -> None:
    ledger = {"tickets.*": "Ticket", "banned.*": "string"}
    new = stall(f"{OPEN} && !observed(ledger.banned[args.id])", ledger=ledger)
    _, refused = directions(diff(stall(OPEN), new))
    assert set(example(refused).case.ledger) == {"tickets.ticket_1", "banned.ticket_1"}


# --- tools and settings ---


def test_tools_added_and_removed() -> None:
    gift = {"gift": {"kind": "write", "arguments": {"id": "string"}}}
    rule = {"id": "g", "tools": ["gift"], "require": OPEN}
    old, new = stall(OPEN), stall(OPEN, rule, more_tools=gift)
    report = diff(old, new)
    allowed, refused = directions(report, "gift")
    assert (allowed.change, allowed.reason) == (FOUND, "OLD has no such tool")
    assert (refused.change, refused.reason) == (NONE, "OLD has no such tool")
    assert report.notes == ("tool `gift` was added",)
    back = diff(new, old)
    assert directions(back, "gift")[1].change is FOUND
    assert back.notes == ("tool `gift` was removed",)
    # without a rule no call of it is allowed
    assert not diff(old, stall(OPEN, more_tools=gift)).differs


def test_a_tool_that_loses_its_rules_or_goes_to_the_person() -> None:
    for new, reason in (
        (stall(), "NEW has no rule for it"),
        (
            stall(OPEN, tools={**TOOLS, "refund": {**TOOLS["refund"], "by": "user"}}),
            "NEW leaves the tool to the person",
        ),
    ):
        allowed, refused = directions(diff(stall(OPEN), new))
        assert (allowed.change, refused.change, refused.reason) == (NONE, FOUND, reason)


@pytest.mark.parametrize("kind", ["neutral", "read"])
@pytest.mark.parametrize("before", ["nobody", "person"])
def test_a_tool_that_became_the_agents_own_is_newly_allowed(kind: str, before: str) -> None:
    """Without rules the gate allows it by default, so its calls are a difference."""
    tool = {"kind": kind, "arguments": {"id": "string"}}
    others = {"extra": {**tool, "kind": "neutral", "by": "user"}} if before == "person" else {}
    old, new = stall(OPEN, more_tools=others), stall(OPEN, more_tools={"extra": tool})
    report = diff(old, new)
    allowed, refused = directions(report, "extra")
    assert example(allowed).case.tool == "extra"
    assert (refused.change, refused.reason) == (NONE, allowed.reason)
    assert report.widened
    back = diff(new, old)
    allowed, refused = directions(back, "extra")
    assert (allowed.change, refused.change) == (NONE, FOUND)
    assert not back.widened


def test_a_tool_without_rules_that_takes_other_arguments_is_compared() -> None:
    longer = {**TOOLS["read"], "arguments": {"id": {"type": "string", "minLength": 3}}}
    report = diff(stall(OPEN), stall(OPEN, tools={**TOOLS, "read": longer}))
    allowed, refused = directions(report, "read")
    assert allowed == Direction(NONE)
    assert len(example(refused).case.arguments["id"]) < 3


def test_a_read_with_a_rule_is_compared_and_without_one_all_its_calls_are_allowed() -> None:
    guarded = stall(OPEN, {"id": "reads", "tools": ["read"], "require": 'args.id != "x"'})
    allowed, refused = directions(diff(guarded, stall(OPEN)), "read")
    assert example(allowed).case.arguments == {"id": "x"}
    assert refused == Direction(NONE)


def test_the_default_is_told_and_changes_no_allowed_call() -> None:
    report = diff(stall(), stall(default="revise"))
    assert not report.differs
    assert not report.open
    assert report.notes == ("`default` was changed: it was `block`, it is `revise`",)


def test_each_side_judges_at_its_own_pinned_moment() -> None:
    rule = f"{T}.sold_at < now"
    later = stall(rule, clock="2024-05-16T15:00:00")
    allowed, refused = directions(diff(stall(rule), later))
    assert (allowed.change, refused) == (FOUND, Direction(NONE))
    found = example(allowed)
    assert found.new.moment_us - found.old.moment_us == 24 * 3_600_000_000
    assert changes(stall(OPEN), stall(OPEN, clock="2024-05-16T15:00:00")) == (NONE, NONE)
    free = stall(rule, clock=None)
    assert changes(stall(rule), free) == (FOUND, FOUND)
    assert changes(free, free) == (NONE, NONE)


def test_another_time_zone_is_no_proof_where_times_are_read() -> None:
    rule = f"{T}.sold_at < now"
    report = diff(stall(rule), stall(rule, timezone="America/New_York"))
    allowed, refused = directions(report)
    assert allowed.change is FOUND  # the pinned clock is another moment as well
    assert refused.change is UNDECIDED
    assert refused.reason is not None
    assert "time zones" in refused.reason
    assert changes(stall(OPEN), stall(OPEN, timezone="America/New_York")) == (NONE, NONE)


SOLD = {"type": "object", "required": ["at"], "properties": {"at": TICKET["properties"]["sold_at"]}}


@pytest.mark.parametrize(
    ("rule", "timed"),
    [
        (f"[args.sale] == [{T}.sale]", True),
        (f"distinct([args.sale, {T}.sale]).size() == 1", True),
        (f"args.sale in [{T}.sale]", True),
        (f"(args.amount > 1 ? args.sale : {T}.sale) == {T}.sale", True),
        (f"size(distinct({T}.sales)) < 2", True),
        ("size(distinct(history.refund.map(c, c.args.sale))) < 2", True),
        ("size(distinct(records(ledger.tickets))) == 1", True),
        ("records(ledger.days).exists(d, d < now)", True),
        (f"size([args.sale, {T}.sale]) == 2", False),
        ("size(records(ledger.tickets)) == 1", False),
        ("records(ledger.tickets).all(t, t.price > 1)", False),
    ],
)
def test_times_within_whole_values_are_read_as_well(rule: str, timed: bool) -> None:
    """Two values that hold times are equal in one time zone and need not be so in another."""
    fields = {"sale": SOLD, "sales": {"type": "array", "items": SOLD}}
    ledger = {"tickets.*": "Ticket", "days.*": {"type": "string", "format": "date"}}
    old, new = (
        stall(rule, ticket=fields, arguments={"sale": SOLD}, ledger=ledger, timezone=zone)
        for zone in ("UTC", "Asia/Tokyo")
    )
    for direction in directions(diff(old, new)):
        assert (direction.change is NONE) is not timed


def test_an_assumption_about_times_is_no_proof_in_another_time_zone() -> None:
    assumed = [
        'ledger.tickets.all(t, t.price > 9 || t.sold_at > timestamp("2024-01-01T00:00:00Z"))'
    ]
    old, new = (stall(OPEN, assumptions=assumed, timezone=zone) for zone in ("UTC", "Asia/Tokyo"))
    for direction in directions(diff(old, new)):
        assert direction.change is not NONE


def test_a_proof_rests_only_on_what_both_assume() -> None:
    dear = ["ledger.tickets.all(t, t.price >= 10)"]
    cheap, cheaper = f"{OPEN} && {T}.price > 5", f"{OPEN} && {T}.price > 3"
    assert changes(stall(cheap), stall(cheaper)) == (FOUND, NONE)
    assert changes(stall(cheap, assumptions=dear), stall(cheaper, assumptions=dear)) == (NONE, NONE)
    assert changes(stall(cheap, assumptions=dear), stall(cheaper))[0] is FOUND


def test_an_assumption_can_stand_in_for_evidence() -> None:
    rule = f"{T}.price >= 10"
    assuming = stall(rule, assumptions=["ledger.tickets.all(t, t.price >= 10)"])
    report = diff(stall(rule), assuming)
    allowed, refused = directions(report)
    assert example(allowed).case.ledger == {}
    assert refused.change is UNDECIDED
    (note,) = report.notes
    assert note.endswith("was added")


def test_an_assumption_of_one_side_alone_leaves_a_proof_open() -> None:
    assuming = stall(OPEN, assumptions=["ledger.tickets.all(t, t.price >= 10)"])
    for direction in directions(diff(stall(OPEN), assuming)):
        assert direction.change is UNDECIDED
        assert direction.reason is not None
        assert "only NEW assumes" in direction.reason


@pytest.mark.parametrize("extra", ["", " && size(t.seats) < 10"])
def test_evidence_that_breaks_an_assumption_of_the_refusing_side_is_seen(extra: str) -> None:
    """A rule that holds whatever is missing, but what is there cannot be by one side's word."""
    rule = f"{T}.price > 0 || {T}.price <= 0 || ledger.limits.low == 77"
    schema = {"type": "object", "required": ["low"], "properties": {"low": {"type": "integer"}}}
    ledger = {"tickets.*": "Ticket", "limits": schema}
    assumed = [f"ledger.tickets.all(t, t.price > ledger.limits.low && t.price < 10{extra})"]
    assuming, free = stall(rule, ledger=ledger, assumptions=assumed), stall(rule, ledger=ledger)
    call = {"id": "a", "amount": 1, "how": "card"}
    assert free.clock_us is not None
    case = Case("refund", call, {"limits": {"low": 50}}, free.clock_us)
    assert Side.of("OLD", free).verdict(case).allowed
    assert not Side.of("NEW", assuming).verdict(case).allowed
    for old, new in ((assuming, free), (free, assuming)):
        for direction in directions(diff(old, new)):
            assert direction.change is not NONE


def test_keys_of_another_kind_are_not_compared() -> None:
    def keyed(kind: str) -> Domain:
        arguments = {"id": kind}
        read = {**TOOLS["read"], "arguments": arguments}
        return stall(OPEN, tools={**TOOLS, "read": read}, arguments=arguments)

    allowed, refused = directions(diff(keyed("string"), keyed("integer")))
    assert allowed.change is refused.change is UNDECIDED
    assert allowed.reason == "the keys of `tickets.*` have other types in NEW and OLD"


@pytest.mark.parametrize(
    ("tool", "change", "told"),
    [
        ("read", {"observes": {"tickets.{args.id}": "result.ticket"}}, "observes something else"),
        ("refund", {"touches": []}, "touches something else"),
    ],
)
def test_another_way_to_the_ledger_is_not_proved(
    tool: str, change: Mapping[str, Any], told: str
) -> None:
    report = diff(stall(OPEN), stall(OPEN, tools={**TOOLS, tool: {**TOOLS[tool], **change}}))
    assert directions(report) == (Direction(NONE), Direction(NONE))
    assert (report.differs, report.open, report.widening_open) == (False, True, True)
    assert told in report.unproved[0]


@pytest.mark.parametrize(
    ("kind", "by"),
    [("neutral", "agent"), ("read", "agent"), ("write", "agent"), ("neutral", "user")],
)
def test_a_tool_of_one_side_alone_is_another_way_to_the_ledger(kind: str, by: str) -> None:
    """Calls of a tool that a side does not know make all stale there, whatever the tool does."""
    tool = {"kind": kind, "arguments": {"id": "string"}, "by": by}
    without, having = stall(OPEN), stall(OPEN, more_tools={"extra": tool})
    call, record = {"id": "a", "amount": 1, "how": "card"}, {"state": "open", "price": 1}
    ticket = {**record, "sold_at": "2024-05-15T15:00:00Z", "seats": []}
    verdicts = []
    for domain in (without, having):
        session = Gate(domain).session()
        session.observe("read", {"id": "a"}, ticket)
        session.observe("extra", {"id": "a"}, "done")
        verdicts.append(session.check("refund", call).allowed)
    assert verdicts == [False, True]
    for old, new, lacking in ((without, having, "OLD"), (having, without, "NEW")):
        report = diff(old, new)
        (told,) = report.unproved
        assert told.startswith(f"{lacking} does not know `extra`")
        assert (report.open, report.widening_open) == (True, True)


def test_what_a_changed_kind_or_changed_arguments_leave_behind_is_not_proved() -> None:
    extra = {"kind": "neutral", "arguments": {"id": "string"}}
    old = stall(OPEN, more_tools={"extra": extra})
    report = diff(old, stall(OPEN, more_tools={"extra": {**extra, "kind": "write"}}))
    assert "`extra` is of another kind" in report.unproved[0]
    longer = {"id": {"type": "string", "minLength": 3}}
    read = {**TOOLS["read"], "arguments": longer}
    report = diff(stall(OPEN), stall(OPEN, tools={**TOOLS, "read": read}))
    assert "arguments" in report.unproved[0]


def test_a_limit_of_time_leaves_it_undecided() -> None:
    hard = "args.amount * args.amount * args.amount {} 7 * {}.price * {}.price + 3"
    old, new = stall(hard.format("!=", T, T)), stall(hard.format(">", T, T) + " || true == false")
    limits = Limits(timeout_ms=1, resources=1)
    report = diff(old, new, Effort(limits=limits))
    allowed, refused = directions(report)
    assert allowed.change is refused.change is UNDECIDED
    assert allowed.reason == "the limit of time was reached"
    assert report.open


@pytest.mark.parametrize(
    ("old", "new", "widened", "widening_open"),
    [
        (stall(OPEN), stall(OPEN), False, False),
        (stall(OPEN), stall(OPEN, "args.amount < 3"), False, False),
        (stall(OPEN, "args.amount < 3"), stall(OPEN), True, False),
        (stall("args.amount < 3"), stall("args.amount > 3"), True, False),
        (stall(OPEN), stall(OPEN, assumptions=["ledger.tickets.all(t, t.price > 1)"]), False, True),
        (
            stall(OPEN, assumptions=["ledger.tickets.all(t, t.price > 1)"]),
            stall(OPEN),
            False,
            True,
        ),
    ],
)
def test_narrowing(old: Domain, new: Domain, widened: bool, widening_open: bool) -> None:
    report = diff(old, new)
    assert (report.widened, report.widening_open) == (widened, widening_open)


def test_a_rule_of_a_template_is_shown_where_the_policy_uses_it() -> None:
    use = {"id": "few", "use": "limit_per_session"}
    old, new = (stall({**use, "with": {"earlier": "history.refund", "limit": n}}) for n in (2, 3))
    (tool,) = diff(old, new).tools
    assert tool.allowed.counterexample is not None
    (blame,) = tool.allowed.counterexample.blamed
    for place, side in ((blame.place, old), (blame.twin, new)):
        assert place is not None
        policy = side.sources["policy"]
        assert place.file == policy.name
        assert policy.text.splitlines()[place.line - 1].strip() == "use: limit_per_session"


def test_where_assumptions_contradict_each_other_nothing_is_compared() -> None:
    facts = ["ledger.tickets.all(t, t.price > 5)", "ledger.tickets.all(t, t.price < 3)"]
    sane, mad = stall(OPEN, assumptions=facts[:1]), stall(USED, assumptions=facts)
    for old, new in ((sane, mad), (mad, sane)):
        with pytest.raises(InputError, match="so everything would be proved"):
            diff(old, new)


def test_where_it_stays_open_whether_they_do_nothing_is_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compare, "contradiction", lambda domain, solver: None)
    facts = ["ledger.tickets.all(t, t.price > 5)"]
    old = stall(f"{T}.price > 7", assumptions=facts)
    allowed, refused = directions(diff(old, stall(f"{T}.price > 9", assumptions=facts)))
    assert (allowed.change, refused.change) == (UNDECIDED, FOUND)
    assert allowed.reason is not None
    assert "whether assumptions can be met" in allowed.reason
