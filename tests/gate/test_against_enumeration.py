"""The verdict against its definition: all completions of a small ledger, all free arguments.

ALLOW iff every rule is TRUE in every completion. REVISE iff some values of the free arguments and
of what can be read make every rule TRUE, whatever the rest is, or some reads do so with the call as
it is because they were made (`observed`). BLOCK otherwise.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import NoEvidence, Unknown
from tests.gate.shop import rule

A = "ledger.a"
B = "ledger.b[args.key]"
C = f"ledger.c[{A}.q]"
ATOMS = [
    f"{A}.p", f'{A}.q == "x"', f'{A}.q in ["y", "z"]', f"{A}.n == 1", f"has({A}.n)", B, f"!{B}",
    f"{C} == 1", f"{C} < 2", "args.size == 'S'", "args.flag", "has(args.more)", "args.more == 1",
    f"{A}.n < args.count", "args.count == 2", f"observed({B})", "true", "false",
    f"observed({A})", f"observed({A}.n)", f"!observed({A}.q)",
    f"observed({A}.p)",
]  # fmt: skip

DEFINITIONS = {
    "A": {
        "type": "object",
        "required": ["p", "q"],
        "properties": {
            "p": {"type": "boolean"},
            "q": {"enum": ["x", "y", "z"]},
            "n": {"type": "integer", "minimum": 0, "maximum": 2},
        },
    }
}
LEDGER: dict[str, Any] = {
    "a": "A",
    "b.*": "boolean",
    "c.*": {"type": "integer", "minimum": 0, "maximum": 2},
}
TOOLS: dict[str, dict[str, Any]] = {
    "get_a": {"kind": "read", "observes": {"a": "result"}},
    "get_b": {
        "kind": "read",
        "arguments": {"key": "string"},
        "observes": {"b.{args.key}": "result"},
    },
    "get_c": {
        "kind": "read",
        "arguments": {"q": {"enum": ["x", "y", "z"]}},
        "observes": {"c.{args.q}": "result"},
    },
    "act": {
        "kind": "write",
        "arguments": {
            "key": "string",
            "size": {"enum": ["S", "M"]},
            "flag": "boolean",
            "count": {"type": "integer", "minimum": 1, "maximum": 2},
            "more?": {"type": "integer", "minimum": 0, "maximum": 1},
        },
        "touches": ["b.{args.key}"],
        "free": ["size", "flag", "count", "more"],
    },
    **{f"spoil_{name}": {"kind": "write", "touches": [f"a.{name}"]} for name in "pqn"},
}

FREE: list[dict[str, Any]] = [
    {"size": size, "flag": flag, "count": count, **more}
    for size, flag, count, more in product(
        "SM", (True, False), (1, 2), ({}, {"more": 0}, {"more": 1})
    )
]
ALL_A: list[dict[str, Any]] = [
    {"p": p, "q": q, **n}
    for p, q, n in product((True, False), "xyz", ({}, {"n": 0}, {"n": 1}, {"n": 2}))
]
VALUES: dict[tuple[str, tuple[Any, ...]], list[Any]] = {
    ("a", ()): list(ALL_A),
    ("b.*", ("k",)): [True, False],
    **{("c.*", (q,)): [0, 1, 2] for q in "xyz"},
}

atoms = st.sampled_from(ATOMS)
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


def truths(domain: Domain, observed: Ledger, ledger: Ledger, args: Any) -> set[Truth]:
    """The truths of the rules over `ledger`, where only what is in `observed` counts as such."""

    class Evidence(NoEvidence):
        def lookup(self, pattern: str, keys: tuple[Any, ...]) -> Any:
            return ledger.lookup(pattern, keys)

        def observed(
            self, pattern: str, keys: tuple[Any, ...], field: str | None
        ) -> bool | Unknown:
            return observed.observed(pattern, keys, field)

    scope = Scope(Evidence(), {"args": args, "now": 0, "call": {"tool": "act"}})
    return {truth(rule.holds, scope) for rule in domain.rules_by_tool["act"]}


def completions(
    known: dict[Any, Any], stale: set[str], patterns: set[str]
) -> Iterator[dict[Any, Any]]:
    """All values of what is missing of these patterns; of `a` some fields may be stale."""
    gaps: dict[Any, list[Any]] = {}
    for path, values in VALUES.items():
        if path[0] not in patterns:
            continue
        if path not in known:
            gaps[path] = values
        elif path[0] == "a" and stale:
            fresh = {"p", "q", "n"} - stale
            gaps[path] = [v for v in values if all(v.get(f) == known[path].get(f) for f in fresh)]
    for chosen in product(*gaps.values()):
        yield dict(zip(gaps, chosen, strict=True))


def filled(domain: Domain, base: Ledger, values: dict[Any, Any]) -> Ledger:
    ledger = base.copy()
    for (pattern, keys), value in values.items():
        ledger.put(pattern, keys, value)
    return ledger


def opened(
    domain: Domain,
    ledger: Ledger,
    args: Any,
    requires: list[str],
    known: dict[Any, Any],
    stale: set[str],
    readable: set[str],
) -> tuple[bool, bool]:
    """Whether reads make all rules TRUE because they were made: with what they show alone, and
    with all that could be read.
    """  # fmt: skip
    spoken = {p for p in readable if any(f"ledger.{p[0]}" in text for text in requires)}
    spoken |= {"a"} & readable if "c.*" in spoken else set()
    alone, together = False, False
    for values in completions(known, stale, spoken):
        unmade = [path for path in values if path[0] != "c.*"]
        for made in product((True, False), repeat=len(unmade)):
            left = {path for path, is_made in zip(unmade, made, strict=True) if not is_made}
            shown = {path: value for path, value in values.items() if path not in left}
            after = filled(domain, ledger, shown)
            alone = alone or truths(domain, after, after, args) == {Truth.TRUE}
            every = filled(domain, ledger, values)
            together = together or truths(domain, after, every, args) == {Truth.TRUE}
        if alone:
            break
    return alone, together


@settings(max_examples=100)
@given(
    st.lists(expressions, min_size=1, max_size=2),
    st.sets(st.sampled_from(sorted(VALUES, key=str))),
    st.data(),
)
def test_the_verdict_is_what_enumeration_says(
    requires: list[str], seen: set[Any], data: st.DataObject
) -> None:
    rules = [rule("act", text, id=f"r{n}") for n, text in enumerate(requires)]
    domain = Domain.define(
        "small", tools=TOOLS, ledger=LEDGER, definitions=DEFINITIONS, rules=rules,
        clock="2024-05-15T00:00:00",
    )  # fmt: skip
    tools = {"act", "spoil_p", "spoil_q", "spoil_n"} | data.draw(
        st.sets(st.sampled_from(["get_a", "get_b", "get_c"]))
    )
    session = Gate(domain).session(tools=tools)
    known = {path: data.draw(st.sampled_from(VALUES[path])) for path in sorted(seen, key=str)}
    for (pattern, keys), value in known.items():
        session.ledger.put(pattern, keys, value)
    stale = data.draw(st.sets(st.sampled_from("pqn"))) if ("a", ()) in known else set()
    for name in sorted(stale):
        session.observe(f"spoil_{name}", {})
    free = data.draw(st.sampled_from(FREE))
    verdict = session.dry_run("act", {"key": "k", **free})

    readable = {p for p in ("a", "b.*", "c.*") if f"get_{p[0]}" in tools}
    hidden = {"a", "b.*", "c.*"} - readable

    def always(ledger: Ledger, args: Any, patterns: set[str], left: dict[Any, Any]) -> bool:
        return all(
            truths(domain, session.ledger, filled(domain, ledger, rest), args) == {Truth.TRUE}
            for rest in completions({**known, **left}, stale, patterns)
        )

    allow = always(session.ledger, {"key": "k", **free}, readable | hidden, {})
    assert verdict.allowed == allow, (requires, known, stale, free, verdict)
    if allow:
        return
    surely, maybe = False, False
    for read in completions(known, stale, readable):
        ledger = filled(domain, session.ledger, read)
        for other in FREE:
            args = {"key": "k", **other}
            if truths(domain, session.ledger, ledger, args) == {Truth.TRUE}:
                surely = True
            elif not maybe and hidden and always(ledger, args, hidden, read):
                maybe = True
        if surely:
            break
    alone, together = False, False
    if not surely and any("observed" in text for text in requires):
        args = {"key": "k", **free}
        alone, together = opened(domain, session.ledger, args, requires, known, stale, readable)
    revise = verdict.decision.value == "REVISE"
    if surely or alone or not (maybe or together):
        assert revise == (surely or alone), (requires, known, stale, free, tools, verdict)
