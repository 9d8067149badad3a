"""An answer is found again exactly as long as all that it depends on is the same."""

import shutil
import zoneinfo
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ledger_verify.checks import vacuous_rule
from ledger_verify.checks.base.job import Bench, Settings
from ledger_verify.checks.base.kept import Memory, Missed
from ledger_verify.lang.content import ContentNames
from ledger_verify.lang.zone_data import digest as zone_data_of
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


class Asked:
    """A store without answers that notes what it was asked for."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.answers: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        self.keys.append(key)
        return None

    def put(self, key: str, answer: str) -> None:
        self.answers[key] = answer


def key(made: Domain, settings: Settings | None = None, engine: str = "e") -> list[str]:
    """The keys of all questions that `vacuous_rule` asks of the rule `r`."""
    store = Asked()
    bench = Bench(made, settings or Settings(), Memory(store, engine))
    (job,) = (job for job in vacuous_rule.jobs(bench) if job.subject == "r")
    assert list(job.look())
    assert store.keys
    return store.keys


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
    "a record that only an assumption could lead to": domain(
        bin_={"type": "integer", "minimum": 3}
    ),
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
    "settings",
    [Settings(timeout_ms=5_000), Settings(resources=50_000_000), Settings(scope=5)],
)
def test_limits_matter(settings: Settings) -> None:
    assert key(domain(), settings) != key(domain())


def test_the_code_that_answers_matters() -> None:
    assert key(domain(), engine="other") != key(domain())


@pytest.fixture
def zones(tmp_path: Path) -> Iterator[Path]:
    """A folder of time-zone data of its own."""
    before = zoneinfo.TZPATH
    source = next(f for f in map(Path, [*before, *_bundled()]) if (f / "Europe/Berlin").is_file())
    for name in ("Europe/Berlin", "Asia/Tokyo"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(source / name, tmp_path / name)
    zoneinfo.reset_tzpath([str(tmp_path)])
    yield tmp_path
    zoneinfo.reset_tzpath(before)


def _bundled() -> list[str]:
    spec = find_spec("tzdata")
    return [] if spec is None or spec.origin is None else [f"{Path(spec.origin).parent}/zoneinfo"]


@pytest.mark.parametrize(
    ("made", "matters"),
    [
        (domain(timezone="Europe/Berlin"), True),
        (domain(timezone="Asia/Tokyo"), False),
        (domain(rules=({**RULE, "require": 'now.getHours("Europe/Berlin") < 9'},)), True),
    ],
)
def test_the_data_of_a_time_zone_matters(made: Domain, matters: bool, zones: Path) -> None:
    zone_data_of.cache_clear()
    before = key(made)
    shutil.copy(zones / "Asia/Tokyo", zones / "Europe/Berlin")
    zone_data_of.cache_clear()
    assert (key(made) != before) is matters


def test_what_stays_undecided_is_not_kept() -> None:
    store = Asked()
    hard = domain(rules=({**RULE, "require": "args.amount * args.amount * args.amount == 123457"},))
    bench = Bench(hard, Settings(timeout_ms=1, resources=1), Memory(store, "e"))
    (job,) = vacuous_rule.jobs(bench)
    assert [claim.undecided for claim in job.look()] == [True]
    assert store.keys
    assert store.answers == {}


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telehealth"])
def test_all_of_the_bundled_domains_has_a_name(name: str) -> None:
    """Whatever is in a domain: without a name of its own nothing would be kept of it."""
    store = Asked()
    bench = Bench(Domain.load(name), memory=Memory(store, "e", asks=False))
    for job in vacuous_rule.jobs(bench):
        with pytest.raises(Missed):
            list(job.look())
    assert store.keys


def test_what_has_no_name_is_asked_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another kind of content must not be taken for what it is not."""

    def unnamed(self: ContentNames, value: Any) -> bytes:
        raise TypeError("no content name")

    monkeypatch.setattr(ContentNames, "name", unnamed)
    store = Asked()
    (job,) = vacuous_rule.jobs(Bench(domain(rules=(RULE,)), memory=Memory(store, "e")))
    assert [claim.finding for claim in job.look()] == [None]
    assert (store.keys, store.answers) == ([], {})
