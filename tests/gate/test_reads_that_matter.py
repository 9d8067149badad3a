"""Which reads are advised, against their definition: all that a small ledger may show.

A read matters iff two ways in which what can be read may turn out, which differ only in what it
shows, differ in whether all rules hold (whatever the rest is that nobody can read).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.solver.completions import Completions
from ledger_verify.solver.outcome import Undecided
from tests.gate.shop import rule
from tests.gate.test_against_enumeration import (
    ATOMS,
    DEFINITIONS,
    FREE,
    LEDGER,
    TOOLS,
    VALUES,
    completions,
    filled,
    truths,
)

Place = tuple[str, tuple[Any, ...]]

atoms = st.sampled_from([atom for atom in ATOMS if "observed" not in atom])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("({} && {})".format, inner, inner),
        st.builds("({} || {})".format, inner, inner),
        st.builds("!({})".format, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
    ),
    max_leaves=5,
)


def outcomes(
    domain: Domain, session: Any, args: Any, known: dict[Any, Any], stale: set[str],
    readable: set[str],
) -> Iterator[tuple[dict[Place, Any], bool]]:  # fmt: skip
    """All that reads may show, each with whether the rules hold then, whatever the rest is."""
    hidden = {"a", "b.*", "c.*"} - readable
    for read in completions(known, stale, readable):
        ledger = filled(domain, session.ledger, read)
        holds = all(
            truths(domain, session.ledger, filled(domain, ledger, rest), args) == {Truth.TRUE}
            for rest in completions({**known, **read}, set(), hidden)
        )
        yield read, holds


def matter(found: list[tuple[dict[Place, Any], bool]]) -> set[Place]:
    """The places in which two outcomes alone differ that differ in whether the rules hold."""
    mattering = set()
    for place in found[0][0]:
        groups: dict[Any, set[bool]] = {}
        for read, holds in found:
            rest = tuple(str(v) for p, v in read.items() if p != place)
            groups.setdefault(rest, set()).add(holds)
        if any(len(group) == 2 for group in groups.values()):
            mattering.add(place)
    return mattering


def place(path: str) -> Place:
    pattern, _, key = path.partition(".")
    return (f"{pattern}.*", (None if key == "*" else key,)) if key else (pattern, ())


@settings(max_examples=150)
@given(
    st.lists(expressions, min_size=1, max_size=3),
    st.sets(st.sampled_from(sorted(VALUES, key=str))),
    st.data(),
)
def test_what_matters_is_advised_and_nothing_else(
    requires: list[str], seen: set[Any], data: st.DataObject
) -> None:
    rules = [rule("act", text, id=f"r{n}") for n, text in enumerate(requires)]
    domain = Domain.define(
        "small", tools={**TOOLS, "act": {**TOOLS["act"], "free": []}}, ledger=LEDGER,
        definitions=DEFINITIONS, rules=rules, clock="2024-05-15T00:00:00",
    )  # fmt: skip
    tools = {"act", "spoil_p", "spoil_q", "spoil_n"} | data.draw(
        st.sets(st.sampled_from(["get_a", "get_b", "get_c"]), min_size=1)
    )
    session = Gate(domain).session(tools=tools)
    known = {path: data.draw(st.sampled_from(VALUES[path])) for path in sorted(seen, key=str)}
    for (pattern, keys), value in known.items():
        session.ledger.put(pattern, keys, value)
    stale = data.draw(st.sets(st.sampled_from("pqn"))) if ("a", ()) in known else set()
    for name in sorted(stale):
        session.observe(f"spoil_{name}", {})
    args = {"key": "k", **data.draw(st.sampled_from(FREE))}
    verdict = session.dry_run("act", args)
    readable = {p for p in ("a", "b.*", "c.*") if f"get_{p[0]}" in tools}
    found = list(outcomes(domain, session, args, known, stale, readable))
    mattering = matter(found)
    advised = {place(missing.path) for missing in verdict.missing}
    note = (requires, known, stale, args, tools, mattering, verdict)
    # of records that another read has to name, any may be meant
    named = {p for p in advised if None not in p[1]}
    assert named <= mattering, note
    if len(named) < len(advised):
        assert any(p[0] == "c.*" for p in mattering), note
    left = {p for p in mattering - named if p[0] != "c.*" or len(named) == len(advised)}
    assert not left or verdict.decision.value == "BLOCK", note


# --- what a schema without bounds leaves open, and what assumptions tie together

NOTE = {
    "type": "object",
    "required": ["p", "q", "l"],
    "properties": {
        "p": {"type": "boolean"},
        "q": {"type": "string"},
        "l": {"type": "array", "items": {"type": "string"}},
    },
}
NO_Z = "ledger.a.l.all(x, x != 'z')"


def advised(*requires: str, assumptions: tuple[str, ...] = (), lacks: str = "") -> list[str]:
    tools: dict[str, Any] = {
        "get_a": {"kind": "read", "observes": {"a": "result"}},
        "get_b": {"kind": "read", "observes": {"b": "result"}},
        "get_c": {
            "kind": "read",
            "arguments": {"k": "string"},
            "observes": {"c.{args.k}": "result"},
        },
        "act": {"kind": "write", "arguments": {"k": "string"}},
    }
    domain = Domain.define(
        "notes", tools=tools, ledger={"a": "Note", "b": "Note", "c.*": "boolean"},
        definitions={"Note": NOTE}, assumptions=assumptions,
        rules=[rule("act", text, id=f"r{n}") for n, text in enumerate(requires)],
    )  # fmt: skip
    session = Gate(domain).session(tools=[tool for tool in tools if tool != lacks])
    verdict = session.dry_run("act", {"k": "k"})
    assert verdict.decision.value == "REVISE"
    return [missing.path for missing in verdict.missing]


@pytest.mark.parametrize(
    ("requires", "paths"),
    [
        ((NO_Z, f"{NO_Z} || ledger.b.p"), ["a"]),
        ((f"{NO_Z} && (ledger.c[args.k] || ledger.b.p)", "ledger.b.p"), ["b", "a"]),
        (("ledger.a.l.all(x, ledger.c[x])", "ledger.b.p"), ["a", "b", "c.*"]),
        (("size(ledger.a.l.filter(x, x == 'z')) < 9", f"ledger.b.p || {NO_Z}"), ["a", "b"]),
        (("ledger.a.l == ledger.b.l",), ["a", "b"]),
        (("sum(ledger.a.l.map(x, size(x))) == 0 || ledger.c.k", "ledger.b.q in ledger.a.l"),
         ["a", "b", "c.k"]),
    ],
)  # fmt: skip
def test_lists_of_any_length(requires: tuple[str, ...], paths: list[str]) -> None:
    assert sorted(advised(*requires)) == sorted(paths)


@pytest.mark.parametrize(
    "requires",
    [
        ("ledger.a.p && ledger.b.p",),
        ("ledger.a.p", "ledger.b.p"),
        ("ledger.a.p", "ledger.b.p", "ledger.a.p || ledger.b.q == 'x'"),
    ],
)
def test_one_of_two_records_that_tell_the_same_is_enough(requires: tuple[str, ...]) -> None:
    tied = ("ledger.a.p == ledger.b.p",)
    assert len(advised(*requires, assumptions=tied)) == 1
    assert len(advised(*requires)) == 2


def test_what_nobody_can_read_is_not_counted_on() -> None:
    open_ = "ledger.a.p && (ledger.b.p || ledger.c[args.k])"
    assert advised(open_, lacks="get_b") == ["a", "c.k"]
    assert advised("ledger.a.p || ledger.b.p && ledger.c[args.k]", lacks="get_b") == ["a"]


def test_where_the_solver_cannot_tell_the_read_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def undecided(self: Completions, *question: Any) -> bool:
        asked.append(question)
        raise Undecided

    monkeypatch.setattr(Completions, "matters", undecided)
    assert sorted(advised(NO_Z, f"{NO_Z} || ledger.b.p")) == ["a", "b"]
    assert asked


# --- reads for a repair


def test_of_a_repair_that_the_user_has_to_name_only_what_matters_is_read() -> None:
    tools: dict[str, Any] = {
        "get_methods": {"kind": "read", "observes": {"methods": "result"}},
        "get_b": {"kind": "read", "observes": {"b": "result"}},
        "pay": {"kind": "write", "arguments": {"by": "string"}, "free": ["by"]},
    }
    requires = ("args.by != 'cash'", "args.by in ledger.methods.l",
                "args.by in ledger.methods.l || ledger.b")  # fmt: skip
    domain = Domain.define(
        "till", tools=tools, ledger={"methods": "Note", "b": "boolean"},
        definitions={"Note": NOTE},
        rules=[rule("pay", text, id=f"r{n}") for n, text in enumerate(requires)],
    )  # fmt: skip
    verdict = Gate(domain).session().dry_run("pay", {"by": "cash"})
    assert verdict.repair is not None
    assert verdict.repair.ask == ("by",)
    assert [missing.path for missing in verdict.missing] == ["methods"]


def test_half_of_the_time_is_left_for_the_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger_verify.gate.judge._is_late", lambda proposal: True)
    monkeypatch.setattr(Completions, "matters", lambda *_: pytest.fail("nobody asks any more"))
    assert sorted(advised(NO_Z, f"{NO_Z} || ledger.b.p")) == ["a", "b"]
