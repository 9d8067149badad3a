"""An answer is found again exactly as long as all that it depends on is the same."""

from collections.abc import Mapping
from typing import Any

import pytest

from ledger_verify.checks import vacuous_rule
from ledger_verify.checks.base.job import Bench, Settings
from ledger_verify.checks.running.cache import Keys
from ledger_verify.policy.domain import Domain

USER = "ledger.users[args.user]"
RULE = {"id": "r", "tools": ["pay"], "require": f"args.amount <= {USER}.limit"}
OTHER = {"id": "other", "tools": ["pay"], "require": "args.amount > 0"}


def domain(
    *,
    rules: tuple[Mapping[str, Any], ...] = (RULE, OTHER),
    limit: Mapping[str, Any] | None = None,
    amount: Any = "integer",
    bin_: Any = None,
    assumptions: tuple[str, ...] = ("ledger.users.all(u, u.limit >= 0)",),
    timezone: str = "UTC",
    clock: str = "2024-05-15T15:00:00",
) -> Domain:
    user = {"limit": limit or {"type": "integer"}}
    bin_type = bin_ or {"type": "integer"}
    return Domain.define(
        "bank",
        tools={"pay": {"kind": "write", "arguments": {"user": "string", "amount": amount}}},
        ledger={"users.*": "User", "bins.*": "Bin"},
        definitions={
            "User": {"type": "object", "properties": user, "required": ["limit"]},
            "Bin": {"type": "object", "properties": {"size": bin_type}, "required": ["size"]},
        },
        rules=rules, assumptions=assumptions, timezone=timezone, clock=clock,
    )  # fmt: skip


def key(made: Domain, settings: Settings | None = None, engine: str = "e") -> str:
    settings = settings or Settings()
    keys = Keys(made, settings, engine)
    jobs = vacuous_rule.jobs(Bench(made, settings))
    return {job.subject: keys.of("check", job) for job in jobs}["r"]


SAME = {
    "again": domain(),
    "a message": domain(rules=({**RULE, "message": "No."}, OTHER)),
    "a clause": domain(rules=({**RULE, "clause": "c"}, OTHER)),
    "another place": domain(rules=(OTHER, RULE)),
    "other white space": domain(
        rules=({**RULE, "require": "args.amount<=ledger . users[args.user].limit"}, OTHER)
    ),
    "a let": domain(rules=({**RULE, "let": {"u": USER}, "require": "args.amount <= u.limit"},)),
    "another rule": domain(rules=(RULE, {**OTHER, "require": "args.amount > 1"})),
    "no other rule": domain(rules=(RULE,)),
    "a record that is not read": domain(bin_={"type": "integer", "minimum": 3}),
    "an assumption about such a record": domain(
        assumptions=("ledger.users.all(u, u.limit >= 0)", "ledger.bins.all(b, b.size > 0)")
    ),
}  # fmt: skip
OTHERWISE = {
    "the bound": domain(rules=({**RULE, "require": f"args.amount < {USER}.limit"},)),
    "a guard": domain(rules=({**RULE, "when": "args.amount > 3"},)),
    "the schema of the record": domain(limit={"type": "integer", "maximum": 7}),
    "the schema of an argument": domain(amount={"type": "integer", "maximum": 7}),
    "the assumption": domain(assumptions=("ledger.users.all(u, u.limit >= 1)",)),
    "no assumption": domain(assumptions=()),
    "an assumption that leads on": domain(
        assumptions=(
            "ledger.users.all(u, u.limit >= 0)",
            "ledger.users.all(u, ledger.bins['b'].size == u.limit)",
        )
    ),
    "the clock": domain(clock="2024-05-15T15:00:01"),
    "the time zone": domain(timezone="Asia/Tokyo"),
}  # fmt: skip


@pytest.mark.parametrize("made", SAME.values(), ids=SAME)
def test_what_does_not_matter_leaves_the_key(made: Domain) -> None:
    assert key(made) == key(domain())


@pytest.mark.parametrize("made", OTHERWISE.values(), ids=OTHERWISE)
def test_what_matters_changes_the_key(made: Domain) -> None:
    assert key(made) != key(domain())


def test_a_record_that_assumptions_lead_to_matters() -> None:
    leads_on = ("ledger.users.all(u, ledger.bins['b'].size == u.limit)",)
    small = {"type": "integer", "maximum": 3}
    assert key(domain(assumptions=leads_on)) != key(domain(assumptions=leads_on, bin_=small))


@pytest.mark.parametrize(
    "settings", [Settings(timeout_ms=5), Settings(resources=5), Settings(scope=5)]
)
def test_limits_matter(settings: Settings) -> None:
    assert key(domain(), settings) != key(domain())


def test_the_code_that_answers_matters() -> None:
    assert key(domain(), engine="other") != key(domain())
