"""What every proof knows of a record with a declared key: it stands under its own key."""

from collections.abc import Sequence
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change
from ledger_verify.gate.cases import replay_case
from ledger_verify.policy.case import Case
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.proofs.sequences import prove_sequences
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import StaticSolver

TEXT = {"type": "string"}
VENDOR: Any = {
    "type": "object",
    "required": ["vendor_id", "iban"],
    "properties": {"vendor_id": TEXT, "iban": TEXT, "left": {"type": "integer"}},
}
A, B = "ledger.vendors[args.a]", "ledger.vendors[args.b]"


def payables(
    *rules: str,
    key: str | None = "vendor_id",
    never: Sequence[str] = (),
    vendor: Any = VENDOR,
    argument: Any = "string",
    **more: Any,
) -> Domain:
    return Domain.define(
        "payables",
        ledger={"vendors.*": {"record": "Vendor", "key": key}},
        tools={
            "get": {
                "kind": "read",
                "arguments": {"id": argument},
                "observes": {"vendors.{args.id}": "result"},
            },
            "pay": {
                "kind": "write",
                "arguments": {"a": argument, "b": argument},
                "touches": ["vendors.{args.a}.left"],
            },
            "reset": {
                "kind": "write",
                "arguments": {"a": argument},
                "touches": ["vendors.{args.a}"],
            },
        },
        definitions={"Vendor": vendor},
        rules=[
            {"id": f"r{n}", "tools": ["pay"], "require": text} for n, text in enumerate(rules)
        ],
        invariants=[
            {"id": f"i{n}", "tools": ["pay"], "never": text} for n, text in enumerate(never)
        ],
        **more,
    )  # fmt: skip


def outcome(domain: Domain) -> tuple[Proof, Case | None]:
    (result,) = prove(domain, StaticSolver(domain))
    if result.counterexample is not None:
        assert replay_case(Gate(domain), result.counterexample).allowed
    return result.proof, result.counterexample


@pytest.mark.parametrize(
    ("rule", "never"),
    [
        (f"{A}.vendor_id == {B}.vendor_id", "args.a != args.b"),
        (f"{A}.iban != {B}.iban", "args.a == args.b"),
        (f"{A}.vendor_id.size() > 3", "args.a.size() <= 3"),
        (f'{A}.vendor_id == "V1"', 'args.a != "V1"'),
        (f"{A}.left > 0", f"{A}.vendor_id != args.a"),
        (f"[args.b].exists(x, ledger.vendors[x].vendor_id == args.a && {A}.left > 0)",
         f"{A}.iban != {B}.iban"),
    ],
)  # fmt: skip
def test_two_records_have_no_key_in_common(rule: str, never: str) -> None:
    assert outcome(payables(rule, never=[never])) == (Proof.PROVED, None)
    proof, case = outcome(payables(rule, never=[never], key=None))
    assert proof is (Proof.PROVED if never == "args.a == args.b" else Proof.REFUTED)
    assert (case is None) is (proof is Proof.PROVED)


@pytest.mark.parametrize("rule", [f"{A}.left >= 0", f"{A}.iban == {B}.iban && args.a != args.b"])
def test_counterexamples_stand_under_their_keys(rule: str) -> None:
    proof, case = outcome(payables(rule, never=[f'{A}.vendor_id != "zz"']))
    assert proof is Proof.REFUTED
    assert case is not None
    for path, record in case.ledger.items():
        assert path == f"vendors.{record['vendor_id']}"


@pytest.mark.parametrize(
    ("field", "argument"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": "number"}, "integer"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "boolean"}, "boolean"),
        ({"enum": ["x", "y"]}, "string"),
        ({"type": "string", "pattern": "^V[0-9]$"}, "string"),
        ({"anyOf": [TEXT, {"type": "null"}]}, "string"),
    ],
)
def test_keys_of_every_type(field: Any, argument: str) -> None:
    vendor = {**VENDOR, "properties": {**VENDOR["properties"], "vendor_id": field}}
    same = f"{A}.vendor_id == {B}.vendor_id"
    kinds: dict[str, Any] = {"vendor": vendor, "argument": argument}
    assert outcome(payables(same, never=["args.a != args.b"], **kinds))[0] is Proof.PROVED
    proof, case = outcome(payables(f"{A}.left > 5", never=["args.a == args.b"], **kinds))
    assert proof is Proof.REFUTED
    assert case is not None


def test_a_key_that_no_record_can_have_leaves_the_call_possible() -> None:
    vendor = {**VENDOR, "properties": {**VENDOR["properties"], "vendor_id": {"enum": ["x", "y"]}}}
    rule = f'args.a == "none" || {A}.left > 0'
    proof, case = outcome(payables(rule, never=['args.a == "none"'], vendor=vendor))
    assert proof is Proof.REFUTED
    assert case is not None
    assert case.arguments["a"] == "none"
    read = f"{A}.left > 0"
    assert outcome(payables(read, never=['args.a == "none"'], vendor=vendor))[0] is Proof.PROVED


def test_an_optional_key_may_be_absent() -> None:
    vendor = {**VENDOR, "required": ["iban"]}
    assert outcome(payables(f"{A}.vendor_id != args.a", never=["true"], vendor=vendor))[0] is (
        Proof.PROVED
    )
    absent = payables(f"!has({A}.vendor_id)", never=["true"], vendor=vendor)
    assert outcome(absent)[0] is Proof.REFUTED


def test_the_gate_knows_the_key_of_a_record_that_was_not_read() -> None:
    for rule, decision in ((f"{A}.vendor_id == args.a", "ALLOW"),
                           (f"{A}.vendor_id != args.a", "BLOCK")):  # fmt: skip
        made = Gate(payables(rule)).session()
        assert made.check("pay", {"a": "V1", "b": "V2"}).decision.value == decision
        made = Gate(payables(rule, key=None)).session()
        assert made.check("pay", {"a": "V1", "b": "V2"}).decision.value == "REVISE"


def test_the_gate_knows_it_of_a_stale_record() -> None:
    made = Gate(payables(f"{A}.vendor_id == args.a")).session()
    made.observe("get", {"id": "V1"}, {"vendor_id": "V1", "iban": "x"})
    made.observe("reset", {"a": "V1"}, {})
    assert made.check("pay", {"a": "V1", "b": "V2"}).allowed


@pytest.mark.parametrize(("key", "proved"), [("vendor_id", True), (None, False)])
def test_sequences_keep_the_keys(key: str | None, proved: bool) -> None:
    domain = Domain.define(
        "d",
        ledger={"vendors.*": {"record": "Vendor", "key": key}, "last": "Last"},
        tools={
            "get": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"vendors.{args.id}": "result", "last": {"when": "false"}},
            },
            "reset": {"kind": "write", "arguments": {"a": "string"}, "touches": ["vendors.*"]},
            "note": {
                "kind": "write",
                "arguments": {"a": "string"},
                "touches": ["last"],
                "effects": {"last.id": f"{A}.vendor_id", "last.asked": "args.a"},
            },
        },
        definitions={
            "Vendor": VENDOR,
            "Last": {
                "type": "object",
                "required": ["id", "asked"],
                "properties": {"id": TEXT, "asked": TEXT},
            },
        },
        rules=[
            {"id": "r", "tools": ["note"], "require": f'{A}.iban != ""'},
            {"id": "s", "tools": ["reset"], "require": 'args.a != ""'},
        ],
        invariants=[
            {
                "id": "kept",
                "always": "ledger.last.id == ledger.last.asked",
                "initially": "ledger.last.id == ledger.last.asked",
            }
        ],
    )
    (result,) = prove_sequences(domain, SequenceSolver(domain), 2)
    assert (result.proof is Proof.PROVED) is proved
    assert (result.proof is Proof.REFUTED) is not proved


def changes(old: Domain, new: Domain) -> tuple[Change, Change]:
    (found,) = [tool for tool in diff(old, new).tools if tool.tool == "pay"]
    return found.allowed.change, found.refused.change


def test_diff_where_a_key_is_declared_on_one_side() -> None:
    free, keyed = payables(f"{A}.left > 0", key=None), payables(f"{A}.left > 0")
    # with the key declared, a record of another key is no evidence
    assert changes(free, keyed) == (Change.NONE, Change.FOUND)
    assert changes(keyed, free) == (Change.FOUND, Change.NONE)
    assert "the key of records at `vendors.*` was changed" in diff(free, keyed).notes


def test_diff_where_both_declare_the_key() -> None:
    by_hand = payables(f"{A}.left > 0", f"{A}.vendor_id == args.a")
    assert changes(payables(f"{A}.left > 0"), by_hand) == (Change.NONE, Change.NONE)
