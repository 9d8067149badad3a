"""`session:` of a domain: where its facts can be read, and where not."""

from pathlib import Path

import pytest

from ledger_verify.lang.errors import InputError
from ledger_verify.policy.documents import DomainDocument
from tests.policy.folders import DOMAIN, POLICY, load

WITH_FACTS = DOMAIN.replace(
    "ledger:\n", 'session: {who: string, "roles?": "string[]"}\nledger:\n', 1
)


def test_every_place_that_knows_the_arguments_knows_the_session(tmp_path: Path) -> None:
    changes = {
        "'\"shipped\"'": '\'session.who == "" ? "open" : "shipped"\'',
        "set: {id: args.user_id}": "set: {id: session.who}",
        'observes: {"notes.{item}": "result[*]"}': 'observes: {"notes.{session.who}": result}',
    }
    domain = WITH_FACTS
    for old, new in changes.items():
        assert old in domain
        domain = domain.replace(old, new)
    policy = (
        POLICY.replace("o.owner == ledger.user.id", "o.owner == session.who")
        .replace("order of {o.owner}", "{session.who} {has(session.roles)}")
        .replace("when: o.total > 5", "when: has(session.roles) && size(session.roles) > 0")
    )
    loaded = load(tmp_path, domain=domain, policy=policy)
    assert loaded.session is not None
    assert {n: f.optional for n, f in loaded.session.fields} == {"who": False, "roles": True}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("o.owner == ledger.user.id", "o.owner == session.wo", "`session` has no field `wo`"),
        ("o.owner == ledger.user.id", "o.owner == session", "never equal"),
        ("o.owner == ledger.user.id", 'session.who == 1', "never equal"),
        ("ledger.orders.all(o, o.total < 1000)", 'session.who != ""', "unknown name `session`"),
        (
            "ledger.orders.all(o, o.total < 1000)",
            "ledger.orders.all(o, o.owner == session.who)",
            "unknown name `session`",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_said(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, domain=WITH_FACTS, policy=POLICY.replace(old, new, 1))
    assert message in caught.value.message
    assert caught.value.location is not None
    if message == "unknown name `session`":
        assert "the same for every session" in (caught.value.hint or "")


def test_an_empty_session_declares_nothing(tmp_path: Path) -> None:
    domain = DOMAIN.replace("ledger:\n", "session: {}\nledger:\n", 1)
    assert load(tmp_path, domain=domain).session is None
    assert "session" in DomainDocument.model_fields
