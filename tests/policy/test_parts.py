"""Which parts of a record writes can make stale while the rest stays fresh."""

from typing import Any

import pytest

from ledger_verify.policy.domain import Domain
from ledger_verify.policy.parts import Entries, Parts, fields_apart, parts_of_records
from tests.differential.boxes import ARGUMENTS, DEFINITIONS, LEDGER, READS

ONE, EACH = Entries.ONE, Entries.EACH
B = "boxes.{args.id}"


def domain_of(*touches: list[Any]) -> Domain:
    writes = {
        f"w{i}": {"kind": "write", "arguments": ARGUMENTS, "touches": touched}
        for i, touched in enumerate(touches)
    }
    return Domain.define("d", tools={**READS, **writes}, ledger=LEDGER, definitions=DEFINITIONS)


def ends(parts: Parts, way: tuple[Any, ...] = ()) -> set[tuple[Any, ...]]:
    found = {way} if parts.ends else set()
    return found.union(*(ends(inner, (*way, step)) for step, inner in parts.below.items()))


@pytest.mark.parametrize(
    ("touched", "expected"),
    [
        (B, set()),
        ("boxes.*", set()),
        (f"{B}.n", {("n",)}),
        ("boxes.*.n", {("n",)}),
        (f"{B}.inner.a", {("inner", "a")}),
        (f"{B}.m.*", {("m",)}),
        (f"{B}.m.{{args.name}}", {("m", ONE)}),
        (f"{B}.d.{{args.name}}.q", {("d", ONE, "q")}),
        (f"{B}.d.*.q", {("d", EACH, "q")}),
        (f"{B}.z.v", {("z", "v")}),
        # an item of a list that is not told leaves all of the map in doubt
        ({"each": "args.names", "path": f"{B}.m.{{item}}"}, {("m", ONE), ("m",)}),
        ({"each": "args.names", "path": f"{B}.d.{{item}}.q"}, {("d", ONE, "q"), ("d",)}),
    ],
)
def test_parts_of_a_touch(touched: Any, expected: set[tuple[Any, ...]]) -> None:
    domain = domain_of([touched])
    record = domain.ledger["boxes.*"].record
    assert ends(parts_of_records(domain.tools.values(), "boxes.*", record)) == expected


def apart(*touches: list[Any]) -> dict[str, str]:
    domain = domain_of(*touches)
    return fields_apart(domain.tools.values(), "boxes.*", domain.ledger["boxes.*"].record)


def test_fields_that_all_writes_touch_together_are_one() -> None:
    assert apart([f"{B}.n", f"{B}.s", f"{B}.inner.a"]) == {"n": "n", "s": "n", "inner": "n"}
    assert apart([f"{B}.n", f"{B}.s"], [B]) == {"n": "n", "s": "n"}


@pytest.mark.parametrize(
    "touches",
    [
        ([f"{B}.n"], [f"{B}.s"]),
        ([f"{B}.n", f"{B}.s"], [f"{B}.s"]),
        (["boxes.*.n", f"{B}.s"],),
        ([f"{B}.n", 'boxes.{args.name}.s'],),
        ([f"{B}.n", {"each": "args.names", "path": "boxes.{item}.s"}],),
    ],
)  # fmt: skip
def test_fields_that_some_write_tells_apart(touches: tuple[list[Any], ...]) -> None:
    assert apart(*touches) == {"n": "n", "s": "s"}


def test_what_is_said_of_each_entry_says_nothing_of_an_empty_map() -> None:
    assert apart([f"{B}.n", f"{B}.d.*.q"]) == {"n": "n", "d": "d"}
