"""Using a template: types of parameters, whose names are seen where, guards, what goes wrong."""

from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, InputError, Session

SMALL = """
name: small
description: Small amounts only.
parameters:
  amount: {type: number, description: the amount}
  limit: {type: number, description: the limit, default: 10}
  floor: {type: number, description: the least amount, default: limit - 10}
require: amount <= limit && amount >= floor
message: "{amount} is not from {floor} to {limit}"
"""


def domain(folder: Path, *rules: dict[str, Any], template: str = SMALL) -> Domain:
    name = template.strip().splitlines()[0].removeprefix("name: ")
    (folder / f"{name}.yaml").write_text(template, encoding="utf-8")
    return Domain.define(
        "till",
        ledger={"till": "Till"},
        definitions={"Till": {"type": "object", "properties": {"open": {"type": "boolean"}}}},
        tools={
            "pay": {"kind": "write", "arguments": {"amount": "number", "note": "string"}},
            "look": {"kind": "read", "observes": {"till": "result"}},
        },
        rules=[{"tools": ["pay"], **rule} for rule in rules],
        clock="2026-01-01T00:00:00",
        rule_folders=[folder],
    )


def decide(made: Domain | Session, amount: int, note: str = "") -> Decision:
    session = made if isinstance(made, Session) else Gate(made).session()
    return session.check("pay", {"amount": amount, "note": note}).decision


def allowed(made: Domain, *amounts: int) -> list[int]:
    return [amount for amount in amounts if decide(made, amount) is Decision.ALLOW]


def test_parameters_are_expressions_and_defaults_see_those_before(tmp_path: Path) -> None:
    made = domain(tmp_path, {"use": "small", "with": {"amount": "args.amount", "limit": "5 * 4"}})
    assert allowed(made, 9, 10, 20, 21) == [10, 20]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("args.note", "`amount` of template `small` must be a number, not string"),
        ("now", "must be a number, not timestamp"),
        ("[1]", r"must be a number, not list\(int\)"),
        ("call", "must be a number, not call"),
    ],
)
def test_a_parameter_of_another_type_is_refused(tmp_path: Path, given: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        domain(tmp_path, {"use": "small", "with": {"amount": given}})
    assert str(caught.value.location).startswith("<till.policy>:")
    assert caught.value.hint == "`amount`: the amount"


@pytest.mark.parametrize(
    ("type_", "fitting", "other"),
    [
        ("string", "args.note", "1"),
        ("number", "1", "args.note"),
        ("integer", "1", "args.amount"),
        ("boolean", "true", "1"),
        ("timestamp", "now", 'duration("1h")'),
        ("duration", 'duration("1h")', "now"),
        ("list", "[]", "args"),
        ("list", "history.pay", "call"),
        ("record", "ledger.till", "[1]"),
        ("record", "args", "now"),
    ],
)
def test_types_of_parameters(tmp_path: Path, type_: str, fitting: str, other: str) -> None:
    text = f"""
name: typed
description: Something of a type.
parameters: {{x: {{type: {type_}, description: it}}}}
require: size([x, x]) == 2
message: "{{x}}"
"""
    domain(tmp_path, {"use": "typed", "with": {"x": fitting}}, template=text)
    with pytest.raises(InputError, match=f"`x` of template `typed` must be an? {type_}, not "):
        domain(tmp_path, {"use": "typed", "with": {"x": other}}, template=text)


def test_a_default_of_another_type_is_placed_in_the_template(tmp_path: Path) -> None:
    text = SMALL.replace("default: 10", "default: now")
    with pytest.raises(InputError, match=r"`limit` .* must be a number, not timestamp") as caught:
        domain(tmp_path, {"use": "small", "with": {"amount": "args.amount"}}, template=text)
    assert str(caught.value.location).startswith(f"{tmp_path / 'small.yaml'}:6:")
    assert caught.value.hint is not None
    assert "used by `small` at <till.policy>:" in caught.value.hint


@pytest.mark.parametrize(
    ("rule", "message", "hint"),
    [
        ({}, "template `small` needs the parameter `amount`", "`amount`: the amount"),
        ({"with": {"amuont": "1"}}, "has no parameter `amuont`", "did you mean `amount`?"),
        ({"with": {"amount": "1"}, "require": "true"}, "`require` comes from the template", None),
        ({"use": "smal"}, "no rule template `smal`", "did you mean `small`?"),
    ],
)
def test_a_use_that_does_not_fit(
    tmp_path: Path, rule: dict[str, Any], message: str, hint: str | None
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        domain(tmp_path, {"use": "small", **rule})
    assert caught.value.hint == hint


def test_a_type_that_there_is_not(tmp_path: Path) -> None:
    text = SMALL.replace("amount: {type: number", "amount: {type: nubmer")
    with pytest.raises(InputError, match="not `nubmer`") as caught:
        domain(tmp_path, {"use": "small", "with": {"amount": "1"}}, template=text)
    assert caught.value.hint == "did you mean `number`?"
    assert str(caught.value.location).startswith(f"{tmp_path / 'small.yaml'}:5:")


def test_names_of_the_rule_and_of_the_template_do_not_mix(tmp_path: Path) -> None:
    """The same names mean the rule's things in `with`, and the template's in its own text."""
    text = """
name: counted
description: How many items equal the limit.
parameters:
  items: {type: list, description: the items}
  limit: {type: integer, description: the limit}
let: {found: 'items.filter(c, c == limit)'}
require: items.all(c, c <= limit) && size(found) == 1
message: "{found}"
"""
    rule = {
        "use": "counted",
        "let": {"found": "[1, 2, 3]", "limit": "2"},
        "with": {"items": "found.filter(c, c <= limit)", "limit": "[2].filter(c, c == limit)[0]"},
    }
    assert decide(domain(tmp_path, rule, template=text), 1) is Decision.ALLOW


def test_a_template_does_not_see_the_lets_of_the_rule(tmp_path: Path) -> None:
    text = SMALL.replace("amount >= floor", "amount >= secret")
    rule = {"use": "small", "let": {"secret": "1"}, "with": {"amount": "args.amount"}}
    with pytest.raises(InputError, match="unknown name `secret`"):
        domain(tmp_path, rule, template=text)


def test_a_guard_of_the_rule_is_added_to_that_of_the_template(tmp_path: Path) -> None:
    text = SMALL.replace("require:", "when: amount != 99\nrequire:")
    rule = {"use": "small", "when": "args.note == 'x'", "with": {"amount": "args.amount"}}
    made = domain(tmp_path, rule, template=text)
    assert decide(made, 50, "x") is not Decision.ALLOW
    assert decide(made, 50, "y") is Decision.ALLOW
    assert decide(made, 99, "x") is Decision.ALLOW


def test_a_message_of_the_rule_sees_the_parameters(tmp_path: Path) -> None:
    rule = {
        "use": "small",
        "let": {"mine": "7"},
        "with": {"amount": "args.amount"},
        "message": "{amount} > {limit}, {mine}",
    }
    verdict = Gate(domain(tmp_path, rule)).session().check("pay", {"amount": 11, "note": ""})
    assert verdict.rules[0].message == "11 > 10, 7"


def test_earlier_calls_can_be_given_as_a_parameter(tmp_path: Path) -> None:
    made = domain(
        tmp_path,
        {"use": "limit_per_session", "with": {"earlier": "history.pay", "limit": 1}},
        {
            "id": "after_a_look",
            "use": "prerequisite_succeeded",
            "with": {"earlier": "history.look", "prerequisite": "'a look'"},
        },
    )
    session = Gate(made).session()
    assert decide(session, 1) is Decision.REVISE
    session.observe("look", {}, {"open": True})
    assert decide(session, 1) is Decision.ALLOW
    assert decide(session, 1) is Decision.BLOCK
