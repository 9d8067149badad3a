"""`circular_evidence` on records that wait for each other, and on their near misses."""

import pytest

from ledger_verify.checks import circular_evidence, unknowable_argument
from ledger_verify.policy.domain import Domain
from tests.checks.desk import desk, found, marked


def tools(
    account: str = "account_no", contract: str = "contract_no", more: str = "", act: str = "{}"
) -> str:
    return f"""
get_account: {{kind: read, arguments: {{{account}: string}}, observes: {{account: result}}}}
get_contract: {{kind: read, arguments: {{{contract}: string}}, observes: {{contract: result}}}}
{more}
act: {{kind: write, arguments: {act}}}
"""


OPEN, ENDED = "ledger.account.open", "!ledger.contract.ended"
GET_DEVICE = "get_device: {kind: read, arguments: {%s}, observes: {device: result}}"
FAULTY = {
    "two records": desk(tools(), OPEN),
    "two records that are both read": desk(tools(), OPEN, ENDED),
    "a record behind the circle": desk(
        tools(more="find: {kind: read, arguments: {account_no: string}, observes: {user: result}}"),
        "ledger.user.verified",
    ),
    "a third record in the circle": desk(tools(more=GET_DEVICE % "account_no: string"), OPEN),
}
RIGHT = {
    "the call says one": desk(tools(act="{account_no: string}"), OPEN, ENDED),
    "the person says one": desk(
        tools().replace("observes: {account:", "asks: [account_no], observes: {account:"), OPEN
    ),
    "a record that can be read says one": desk(tools(more=GET_DEVICE % ""), OPEN),
    "nothing says one at all": desk(tools(contract="signature"), OPEN),
    "another way to read one": desk(
        tools(more="my_account: {kind: read, observes: {account: result}}"), ENDED
    ),
    "no rule waits for them": desk(tools(), "observed(ledger.account)"),
}


@pytest.mark.parametrize("domain", FAULTY.values(), ids=FAULTY)
def test_records_that_wait_for_each_other_are_found(domain: Domain) -> None:
    (finding,) = found(circular_evidence, domain)
    assert "`account` -> `contract`" in finding.message
    assert "`get_account` needs `account_no`" in finding.message
    assert finding.rules[0] == "r0"
    assert marked(domain, finding) in ("account_no", "contract_no")
    assert found(unknowable_argument, domain) == []


@pytest.mark.parametrize("domain", RIGHT.values(), ids=RIGHT)
def test_records_with_a_way_in_are_not(domain: Domain) -> None:
    assert found(circular_evidence, domain) == []


def test_a_circle_is_reported_once_with_all_rules_that_wait() -> None:
    domain = FAULTY["two records that are both read"]
    (finding,) = found(circular_evidence, domain)
    assert finding.message == (
        "each of these records can be read only after the one before it: "
        "`account` -> `contract` -> `account`; "
        "`get_contract` needs `contract_no`, `get_account` needs `account_no`"
    )
    assert finding.rules == ("r0", "r1")


def test_the_keys_of_a_rule_start_somewhere() -> None:
    domain = Domain.define(
        "desk",
        tools={
            name: {
                "kind": "read",
                "arguments": {"key": "string"},
                "observes": {f"{path}.{{args.key}}": "result"},
            }
            for name, path in (("get_left", "left"), ("get_right", "right"))
        }
        | {"act": {"kind": "write"}},
        ledger={"left.*": "string", "right.*": "string"},
        rules=[
            {
                "id": "r0",
                "tools": ["act"],
                "require": 'ledger.left["a"] == ledger.right[ledger.left["a"]]',
            }
        ],
    )
    assert found(circular_evidence, domain) == []
