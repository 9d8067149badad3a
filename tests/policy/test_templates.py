"""Templates: parameters bound as expressions, errors that name both places."""

from pathlib import Path

import pytest

from ledger_verify import Gate
from ledger_verify.lang.errors import InputError
from tests.policy.folders import TEMPLATE, load

OWNER = 'owner: "ledger.orders[args.order_id].owner"'


def use(with_: str, more: str = "") -> str:
    return f"rules:\n  - use: owned\n    tools: [cancel]\n    with: {{{with_}}}\n{more}"


def decide(folder: Path, policy: str, template: str = TEMPLATE, owner: str = "u1") -> str:
    session = Gate(load(folder, policy=policy, template=template)).session()
    session.record("user", {"id": "u1"})
    session.record("orders.o1", {"owner": owner, "total": 5, "state": "open"})
    return session.dry_run("cancel", {"order_id": "o1"}).decision.value


def test_a_template_is_a_rule_with_its_parameters_filled_in(tmp_path: Path) -> None:
    assert decide(tmp_path, use(OWNER)) == "ALLOW"
    assert decide(tmp_path, use(OWNER), owner="u2") == "BLOCK"
    (rule,) = load(tmp_path, policy=use(OWNER)).rules
    assert rule.id == "owned"
    assert rule.location.file.endswith("policy.yaml")
    assert rule.places["require"].file.endswith("owned.yaml")


def test_a_parameter_may_have_a_default(tmp_path: Path) -> None:
    assert decide(tmp_path, use(f"{OWNER}, user: \"'u2'\""), owner="u2") == "ALLOW"


@pytest.mark.parametrize(
    ("policy", "at", "message", "hint"),
    [
        (
            use(OWNER).replace("use: owned", "use: ownd"),
            "ownd",
            "no rule template `ownd`",
            "`owned`",
        ),
        (use(f"{OWNER}, usr: now"), "usr: now", "has no parameter `usr`", "did you mean `user`?"),
        (use("user: ledger.user.id"), "use: owned", "needs the parameter `owner`", "who owns it"),
        (use("owner: ledger.usr.id"), "ledger.usr", "nothing named `usr`", "`user`"),
        (use("owner: o"), "o}", "`o`", ""),
        (use("owner: user"), "user}", "`user`", ""),
        (use(OWNER, "    require: true\n"), "true", "`require` comes from the template", ""),
        (use(OWNER, '    message: "{owner} {x}"\n'), "x}", "`x`", ""),
        (
            use(OWNER) + use(OWNER).removeprefix("rules:\n"),
            "owned",
            "defined twice",
            "its own `id`",
        ),
    ],
)
def test_a_bad_use_of_a_template(
    policy: str, at: str, message: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, policy=policy)
    error = caught.value
    assert message in error.message, error
    assert hint in (error.hint or ""), error
    assert error.location is not None
    assert error.location.file.endswith("policy.yaml"), error
    line = policy.splitlines()[error.location.line - 1]
    assert line[error.location.column - 1 :].startswith(at), error


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("require: o == user", "require: o == usr", "usr"),
        ("require: o == user", "require: o == 5", "o == 5"),
        ("o: owner", "o: ownr", "ownr"),
        ("default: ledger.user.id", "default: ledger.usr.id", "ledger.usr"),
        ('"{owner} is', '"{ownr} is', "ownr"),
        ("parameters:\n", "parameters:\n  args: {description: x, default: now}\n", "args"),
        ("parameters:\n", "parameters:\n  a-b: {description: x, default: now}\n", "a-b"),
        ("let:\n", "let:\n  now: owner\n", "now"),
    ],
)
def test_an_error_inside_a_template_names_both_places(
    old: str, new: str, at: str, tmp_path: Path
) -> None:
    template = TEMPLATE.replace(old, new)
    with pytest.raises(InputError) as caught:
        load(tmp_path, policy=use(OWNER), template=template)
    error = caught.value
    assert error.location is not None
    assert error.location.file == str(tmp_path / "rules" / "owned.yaml")
    line = template.splitlines()[error.location.line - 1]
    assert line[error.location.column - 1 :].startswith(at), error
    assert f"used by `owned` at {tmp_path / 'policy.yaml'}:2:5" in (error.hint or "")


CAPTURE = """\
name: owned
description: Its own names are those that a `with` expression might use.
parameters:
  owner: {description: an expression}
  test: {description: a condition}
let:
  o: "'nobody'"
  f: "'nobody'"
require: '["x", "y"].exists(f, owner == f) || ["u1"].all(k, test && k == "u1")'
message: "{o}"
"""


def test_a_with_expression_cannot_be_captured_by_the_template(tmp_path: Path) -> None:
    """`f` and `k` are variables of macros in the template and in the `with` expressions."""
    owner = "owner: '[ledger.orders[args.order_id].owner].filter(f, f != \"\")[0]'"
    for test, expected in (
        ('["u1"].exists(k, k == "u1")', "ALLOW"),
        ('["u2"].exists(k, k == "u1")', "BLOCK"),
        ('["z"].all(k, ["u1"].exists(f, k == "z" && f == "u1"))', "ALLOW"),
        ('["z"].all(k, ["u1"].exists(k, k == "z"))', "BLOCK"),
    ):
        policy = use(f"{owner}, test: '{test}'")
        assert decide(tmp_path, policy, CAPTURE) == expected, test
    assert decide(tmp_path, use(f"{owner}, test: 'false'"), CAPTURE, owner="x") == "ALLOW"


def test_a_with_expression_does_not_see_the_names_of_the_template(tmp_path: Path) -> None:
    for name in ("o", "f", "k", "owner"):
        with pytest.raises(InputError, match=f"`{name}`"):
            load(tmp_path, policy=use(f"owner: {name}, test: true"), template=CAPTURE)


def test_a_template_does_not_see_the_lets_of_other_rules(tmp_path: Path) -> None:
    policy = use(OWNER) + '  - {id: other, tools: cancel, let: {mine: "now"}, require: true}\n'
    with pytest.raises(InputError, match="`mine`"):
        load(tmp_path, policy=policy, template=TEMPLATE.replace("o == user", "o == mine"))


def test_a_rule_can_give_the_template_its_own_words(tmp_path: Path) -> None:
    more = '    id: own\n    message: "not {user}, {args.order_id}"\n    otherwise: revise\n'
    session = Gate(load(tmp_path, policy=use(OWNER, more))).session()
    session.record("user", {"id": "u1"})
    session.record("orders.o1", {"owner": "u2", "total": 5})
    verdict = session.dry_run("cancel", {"order_id": "o1"})
    assert verdict.decision.value == "REVISE"
    assert [(r.id, r.message) for r in verdict.rules] == [("own", "not u1, o1")]


def test_a_change_of_the_template_changes_the_revision(tmp_path: Path) -> None:
    first = load(tmp_path, policy=use(OWNER)).revision
    again = load(tmp_path, policy=use(OWNER)).revision
    other = load(tmp_path, policy=use(OWNER), template=TEMPLATE + "\n").revision
    assert first == again != other
