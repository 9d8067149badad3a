"""`unknowable_argument` on reads whose arguments nothing gives, and on their near misses."""

import pytest
import yaml

from ledger_verify.checks import unknowable_argument
from ledger_verify.policy.domain import Domain
from tests.checks.desk import GET_ORDER, ORDER, desk, found, marked

ACT = "act: {kind: write, arguments: {order_id: string}}"


def with_user(read: str, *more: str, act: str = ACT) -> str:
    return "\n".join([f"get_user: {{kind: read, observes: {{user: result}}, {read}}}", *more, act])


VERIFIED = "ledger.user.verified"
FAULTY = {
    "nothing gives it": desk(with_user("arguments: {email: string}"), VERIFIED),
    "only the record itself has it": desk(
        with_user("arguments: {user_id: string}", GET_ORDER), VERIFIED
    ),
    "what the rule compares another field with": desk(
        with_user("arguments: {user_id: string}"), 'ledger.user.verified == (args.order_id == "")'
    ),
    "a constant that the rule compares it with": desk(
        with_user("arguments: {user_id: string}"),
        'ledger.user.user_id != "" && ledger.user.user_id == "x"',
    ),
    "one of two is missing": desk(
        with_user("arguments: {name: string, zip: string}, asks: [name]"), VERIFIED
    ),
    "a number that is an id": desk(with_user("arguments: {customer_id: integer}"), VERIFIED),
    "a record that cannot be read itself has it": desk(
        with_user(
            "arguments: {contract_no: string}",
            "get_device: {kind: read, arguments: {imei: string}, observes: {device: result}}",
        ),
        VERIFIED,
    ),
    "a value of another type": desk(
        with_user("arguments: {total: string}", GET_ORDER), VERIFIED, f"{ORDER}.final"
    ),
}
RIGHT = {
    "the person says it": desk(with_user("arguments: {email: string}, asks: [email]"), VERIFIED),
    "an argument of the call": desk(
        with_user(
            "arguments: {user_id: string}",
            act="act: {kind: write, arguments: {order_id: string, user_id: string}}",
        ),
        VERIFIED,
    ),
    "the key of the rule": desk(f"{GET_ORDER}\n{ACT}", f"{ORDER}.final"),
    "a field of another record": desk(with_user("arguments: {owner: string}", GET_ORDER), VERIFIED),
    "a key that another record gives": desk(
        f"""
{GET_ORDER}
find: {{kind: read, observes: {{device: result}}}}
act: {{kind: write}}
""",
        "ledger.orders[ledger.device.account_no].final",
    ),
    "another read that can be made": desk(
        with_user(
            "arguments: {email: string}",
            "who_am_i: {kind: read, observes: {user: result}}",
        ),
        VERIFIED,
    ),
    "it may be left out": desk(with_user('arguments: {"email?": string}'), VERIFIED),
    "one of an enum": desk(with_user("arguments: {tier: {enum: [gold, silver]}}"), VERIFIED),
    "a number to choose": desk(with_user("arguments: {limit: integer}"), VERIFIED),
    "what the rule compares it with": desk(
        with_user("arguments: {user_id: string}", GET_ORDER),
        f"{ORDER}.owner == ledger.user.user_id",
    ),
    "an argument that the rule compares it with": desk(
        with_user("arguments: {user_id: string}"), "ledger.user.user_id == args.order_id"
    ),
    "the rule holds without it": desk(
        with_user("arguments: {email: string}"), "!observed(ledger.user) || ledger.user.verified"
    ),
    "no rule waits for it": desk(with_user("arguments: {email: string}"), "observed(ledger.user)"),
}


@pytest.mark.parametrize("domain", FAULTY.values(), ids=FAULTY)
def test_an_argument_that_nothing_gives_is_found(domain: Domain) -> None:
    finding = found(unknowable_argument, domain)[0]
    assert "for a call of `act` nothing says how to read `user`" in finding.message or (
        "how to read `device`" in finding.message
    )
    assert finding.rules == ("r0",)


@pytest.mark.parametrize("domain", RIGHT.values(), ids=RIGHT)
def test_an_argument_that_something_gives_is_not(domain: Domain) -> None:
    assert found(unknowable_argument, domain) == []


def test_the_read_and_the_remedy_are_named() -> None:
    domain = FAULTY["one of two is missing"]
    (finding,) = found(unknowable_argument, domain)
    assert "`get_user` needs `zip`, and neither the call nor" in finding.message
    assert finding.fix is not None
    assert "`asks: [zip]` to `get_user`" in finding.fix
    assert marked(domain, finding) == "zip"


def test_the_cause_is_reported_and_not_what_follows_from_it() -> None:
    (finding,) = found(unknowable_argument, FAULTY["a record that cannot be read itself has it"])
    assert "`get_device` needs `imei`" in finding.message


@pytest.mark.parametrize(
    ("argument", "field"),
    [
        ("user_id", "user_id: {type: string}"),
        ("userId", "user_id: {type: string}"),
        ("user_id", "user: {type: object, properties: {id: {type: string}}}"),
        ("user_id", "users: {type: array, items: {type: string}}"),
        ("user_id", "user_ids: {type: array, items: {type: string}}"),
        ("user_id", "holders: {type: array, items: {$ref: '#/$defs/User'}}"),
        ("user_id", "users: {type: object, additionalProperties: {type: number}}"),
        ("id", "user_id: {type: string}"),
    ],
)
def test_names_are_compared_loosely(argument: str, field: str) -> None:
    definitions = yaml.safe_load(
        "User: {type: object, properties: {id: {type: string}, ok: {type: boolean}}}\n"
        "Ok: {type: object, properties: {ok: {type: boolean}}}\n"
        f"Case: {{type: object, properties: {{{field}}}}}"
    )
    domain = Domain.define(
        "desk",
        tools={
            "get_user": {
                "kind": "read",
                "arguments": {argument: "string"},
                "observes": {"user": "result"},
            },
            "get_case": {"kind": "read", "observes": {"case": "result"}},
            "act": {"kind": "write"},
        },
        ledger={"user": "Ok", "case": "Case"},
        definitions=definitions,
        rules=[{"id": "r0", "tools": ["act"], "require": "ledger.user.ok"}],
    )
    assert found(unknowable_argument, domain) == []
