"""Whether an effect keeps the schema: what is told of it is what was shown, and no more."""

from collections.abc import Mapping
from typing import Any

import pytest

from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.solver.query import Limits
from ledger_verify.solver.reach import lists_within
from ledger_verify.solver.static import StaticSolver
from tests.proofs.refunds import result_of

Schema = Mapping[str, Any]

FORBIDDEN = "`put` can put there what the schema forbids"
UNSHOWN = "it could not be shown that `put` puts there only what the schema allows"
BOUNDED = (
    f"only for {lists_within(4)} it is shown that `put` puts there only what the schema allows"
)


def listed(item: Schema, **sizes: int) -> Schema:
    return {"type": "array", "items": item, **sizes}


ALWAYS_TRUE = "ledger.boxes.all(b, b.part == b.part || true)"
TEXT: Schema = {"type": "string"}
ANY_NUMBER: Schema = {"type": "integer"}
POSITIVE: Schema = {"type": "integer", "minimum": 1}
NO_LESS: Schema = {"type": "integer", "minimum": 0}
SHORT: Schema = {"type": "string", "maxLength": 3}
CODE: Schema = {"type": "string", "pattern": "^[A-Z]{3}$"}
LETTERS: Schema = {"enum": ["a", "b"]}
MORE_LETTERS: Schema = {"enum": ["a", "b", "c"]}


def putting(
    field: Schema, value: str, given: Schema, rule: str, claim: Mapping[str, Any], facts: list[str]
) -> Domain:
    """A write that puts what it is given into the `part` of a box."""
    return Domain.define(
        "boxes",
        tools={
            "look": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"boxes.{args.id}": "result"},
            },
            "put": {
                "kind": "write",
                "arguments": {"id": "string", "given": given},
                "touches": ["boxes.{args.id}.part", "boxes.{args.id}.seen"],
                "effects": {"boxes.{args.id}.part": value, "boxes.{args.id}.seen": "true"},
            },
        },
        ledger={"boxes.*": "Box"},
        definitions={
            "Box": {
                "type": "object",
                "required": ["part", "shut", "seen"],
                "properties": {
                    "part": field,
                    "shut": {"type": "boolean"},
                    "seen": {"type": "boolean"},
                },
            }
        },
        rules=[{"id": "may", "tools": ["put"], "require": rule}],
        invariants=[claim],
        assumptions=facts,
        clock="2026-01-01T12:00:00",
    )


def kept(
    field: Schema, given: Schema, value: str = "args.given", rule: str = "true"
) -> tuple[Proof, tuple[str, ...]]:
    """What becomes of an invariant that never fails, and reads what is put."""
    claim = {"id": "kept", "always": ALWAYS_TRUE}
    result = result_of(putting(field, value, given, rule, claim, []), 2)
    return result.proof, tuple(reason.split(": ", 1)[1] for reason in result.reasons)


ALWAYS = {
    "of the same type": (listed(TEXT), listed(TEXT)),
    "of an enum for texts": (listed(TEXT), listed(LETTERS)),
    "of a smaller enum": (listed(MORE_LETTERS), listed(LETTERS)),
    "of a narrower range": (listed(NO_LESS), listed(POSITIVE)),
    "of integers for numbers": (listed({"type": "number"}), listed(ANY_NUMBER)),
    "of texts for texts or null": (listed({"type": ["string", "null"]}), listed(TEXT)),
    "of fewer items": (listed(TEXT, maxItems=5), listed(TEXT, maxItems=3)),
    "of lists": (listed(listed(TEXT)), listed(listed(LETTERS))),
}


@pytest.mark.parametrize(("field", "given"), ALWAYS.values(), ids=ALWAYS)
def test_what_fits_whatever_its_length_is_no_obstacle(field: Schema, given: Schema) -> None:
    assert kept(field, given) == (Proof.PROVED, ())


def test_a_rule_about_all_items_is_counted_for_items_beyond_any_bound() -> None:
    rule = "args.given.all(n, n >= 0)"
    assert kept(listed(NO_LESS), listed(ANY_NUMBER), rule=rule) == (Proof.PROVED, ())
    for value in ("args.given.filter(n, n >= 0)", "args.given.map(n, n >= 0, n)"):
        assert kept(listed(NO_LESS), listed(ANY_NUMBER), value) == (Proof.PROVED, ())
    value = "args.given.map(n, n > 0 ? n : 0)"
    assert kept(listed(NO_LESS), listed(ANY_NUMBER), value) == (Proof.PROVED, ())


FORBIDDING = {
    "of a wider range": (listed(NO_LESS), listed(ANY_NUMBER)),
    "of a larger enum": (listed(LETTERS), listed(MORE_LETTERS)),
    "of more items": (listed(TEXT, maxItems=3), listed(TEXT)),
    "of items that are too few": (listed(TEXT, minItems=1), listed(TEXT)),
    "of moments for days": (
        listed({"type": "string", "format": "date"}),
        listed({"type": "string", "format": "date-time"}),
    ),
}


@pytest.mark.parametrize(("field", "given"), FORBIDDING.values(), ids=FORBIDDING)
def test_what_the_schema_forbids_is_told(field: Schema, given: Schema) -> None:
    assert kept(field, given) == (Proof.UNDECIDED, (FORBIDDEN,))


def test_what_is_shown_for_short_lists_only_is_a_bound_and_no_breach() -> None:
    value, rule = "distinct(args.given)", "args.given.all(n, n >= 0)"
    assert kept(listed(NO_LESS), listed(ANY_NUMBER), value, rule) == (
        Proof.PROVED_UP_TO_BOUND, (BOUNDED,),
    )  # fmt: skip


def test_what_the_solver_cannot_tell_is_told_as_open() -> None:
    for field in (CODE, listed(CODE), SHORT, listed(SHORT)):
        given = listed(TEXT) if field["type"] == "array" else TEXT
        assert kept(field, given) == (Proof.UNDECIDED, (UNSHOWN,))


def test_what_there_was_no_time_for_is_told_as_open() -> None:
    claim = {"id": "kept", "always": ALWAYS_TRUE}
    domain = putting(listed(NO_LESS), "args.given", listed(ANY_NUMBER), "true", claim, [])
    result = result_of(domain, 2, Limits(timeout_ms=1, resources=1))
    assert result.proof is Proof.UNDECIDED
    assert any("the solver ran out of time" in reason for reason in result.reasons)
    assert not any(FORBIDDEN in reason for reason in result.reasons)


def test_one_call_does_not_rest_on_what_is_kept_for_short_lists_only() -> None:
    """The assumption is kept up to a bound, so only what needs none of it is PROVED."""
    claim = {"id": "shut", "tools": ["put"], "never": "ledger.boxes[args.id].part.exists(n, n < 0)"}
    domain = putting(
        listed(ANY_NUMBER), "distinct(args.given)", listed(ANY_NUMBER), "args.given.all(n, n >= 0)",
        claim,
        ["ledger.boxes.all(b, b.part.all(n, n >= 0))"],
    )  # fmt: skip
    (result,) = prove(domain, StaticSolver(domain))
    assert result.proof is Proof.UNDECIDED
    (reason,) = result.reasons
    assert reason.endswith(
        f"only for {lists_within(4)} it is shown that no effect breaks this assumption"
    )
