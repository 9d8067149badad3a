"""Session facts on the command line, and in what commands print."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Run

DOMAIN = """\
domain: post
clock: 2026-01-01T12:00:00
session: {user: string, "roles?": "string[]", "limit?": number, "since?": date}
ledger: {parcels.*: Parcel}
tools:
  get_parcel:
    kind: read
    arguments: {id: string}
    observes: {"parcels.{args.id}": result}
  redirect: {kind: write, arguments: {id: string}, touches: ["parcels.{args.id}"]}
"""
SCHEMA = """\
$defs: {Parcel: {type: object, required: [user], properties: {user: {type: string}}}}
"""
POLICY = """\
rules:
  - id: own
    tools: [redirect]
    require: ledger.parcels[args.id].user == session.user || has(session.limit)
    message: "not for {session.user}"
    clause: Own parcels only.
invariants:
  - {id: never_foreign, tools: [redirect], never: "ledger.parcels[args.id].user != session.user"}
  - {id: never_done, always: '!history.redirect.exists(c, c.ok)', initially: "true"}
"""
FILES = ("--ledger", "ledger.json", "--call", "call.json")


@pytest.fixture
def post(workplace: Path) -> Path:
    folder = workplace / "post"
    folder.mkdir()
    for name, text in (("domain", DOMAIN), ("schema", SCHEMA), ("policy", POLICY)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    write(workplace, "ledger.json", {"parcels.P": {"user": "ann"}})
    write(workplace, "call.json", {"name": "redirect", "arguments": {"id": "P"}})
    return workplace


def write(folder: Path, name: str, data: Any) -> None:
    (folder / name).write_text(json.dumps(data), encoding="utf-8")


@pytest.mark.parametrize(
    ("facts", "options", "status"),
    [
        (None, ("--fact", "user=ann"), 0),
        (None, ("--fact", "user=ben"), 20),
        (None, ("--fact", "user=ben", "--fact", "limit=1.5"), 0),
        (None, ("--fact", "user=ann", "--fact", 'roles=["a"]', "--fact", "since=2026-01-01"), 0),
        ({"user": "ann"}, (), 0),
        ({"user": "ben"}, (), 20),
        ({"user": "ben"}, ("--fact", "limit=3"), 0),
        ({"limit": 3}, ("--fact", "user=a=b"), 0),
    ],
)
def test_gate_takes_facts(
    run: Run, post: Path, facts: Any, options: tuple[str, ...], status: int
) -> None:
    if facts is not None:
        write(post, "facts.json", facts)
        options = ("--facts", "facts.json", *options)
    done = run("gate", "post", *FILES, *options)
    assert (done.status, done.stderr) == (status, "")


@pytest.mark.parametrize(
    ("facts", "options", "told"),
    [
        (None, (), ("needs the session fact `user`", "--fact NAME=VALUE")),
        (None, ("--fact", "user"), ("expected `NAME=VALUE`, not `user`",)),
        (None, ("--fact", "=x"), ("expected `NAME=VALUE`, not `=x`",)),
        (None, ("--fact", "usr=ann"), ("no session fact `usr`", "did you mean `user`?")),
        (None, ("--fact", "user=a", "--fact", "user=b"), ("`user` is given twice",)),
        (
            None,
            ("--fact", "user=a", "--fact", "limit=a"),
            ("`limit` is number, and `a` is",),
        ),
        (
            None,
            ("--fact", "user=a", "--fact", 'limit="a"'),
            ("`limit`: expected a num",),
        ),
        (
            None,
            ("--fact", "user=a", "--fact", "since=now"),
            ("`since`: expected a date",),
        ),
        ({"user": "a"}, ("--fact", "user=b"), ("`user` is given twice",)),
        ({"user": 1}, (), ("facts.json:1:1", "session fact `user`: expected a string")),
        ([], (), ("facts.json:1:1", "session facts")),
    ],
)
@pytest.mark.parametrize("command", ["gate", "replay"])
def test_bad_facts_are_bad_input(
    run: Run, post: Path, command: str, facts: Any, options: tuple[str, ...], told: tuple[str, ...]
) -> None:
    if facts is not None:
        write(post, "facts.json", facts)
        options = ("--facts", "facts.json", *options)
    write(post, "log.json", [])
    files = FILES if command == "gate" else ("log.json",)
    done = run(command, "post", *files, *options)
    assert (done.status, done.stdout) == (2, "")
    assert all(text in done.stderr for text in told), done.stderr


def test_a_domain_without_facts_takes_none(run: Run, post: Path) -> None:
    done = run("gate", "bank", *FILES, "--fact", "user=ann")
    assert done.status == 2
    assert "domain `bank` declares no session facts" in done.stderr


def test_only_one_file_is_standard_input(run: Run, post: Path) -> None:
    done = run("gate", "post", "--ledger", "-", "--call", "call.json", "--facts", "-", stdin="{}")
    assert done.status == 2
    assert "only one of" in done.stderr
    done = run("replay", "post", "-", "--facts", "-", stdin="{}")
    assert done.status == 2
    assert "only one of" in done.stderr
    done = run("gate", "post", *FILES, "--facts", "-", stdin='{"user": "ann"}')
    assert done.status == 0


def conversation() -> list[dict[str, Any]]:
    def call(number: str, name: str) -> dict[str, Any]:
        function = {"name": name, "arguments": '{"id": "P"}'}
        calls = [{"id": number, "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    read = {"role": "tool", "tool_call_id": "1", "content": '{"user": "ann"}'}
    wrote = {"role": "tool", "tool_call_id": "2", "content": "{}"}
    return [
        {"role": "user", "content": "I am ann"},
        call("1", "get_parcel"),
        read,
        call("2", "redirect"),
        wrote,
    ]


@pytest.mark.parametrize(("user", "verdict"), [("ann", "ALLOW"), ("ben", "BLOCK")])
def test_replay_opens_every_conversation_with_the_facts(
    run: Run, post: Path, user: str, verdict: str
) -> None:
    write(post, "log.json", conversation())
    done = run("replay", "post", "log.json", "--fact", f"user={user}", "--format", "json")
    assert done.status == 0
    assert [d["verdict"] for d in json.loads(done.stdout)["decisions"]] == [verdict]


def test_diff_replays_logs_with_the_facts_that_each_side_declares(run: Run, post: Path) -> None:
    other = post / "other"
    other.mkdir()
    for name in ("domain", "schema", "policy"):
        text = (post / "post" / f"{name}.yaml").read_text(encoding="utf-8")
        (other / f"{name}.yaml").write_text(
            text.replace("session: {user: string", "session: {who: string, user: string").replace(
                "== session.user ||", '== session.user && session.who == "x" ||'
            ),
            encoding="utf-8",
        )
    write(post, "log.json", conversation())
    words = ("diff", "post", "other", "--format", "json")
    facts = ("--fact", "user=ann", "--fact", "who=y")
    done = run(*words, "--logs", "log.json", *facts)
    (found,) = json.loads(done.stdout)["logs"]["different"]
    assert (found["old"]["verdict"], found["new"]["verdict"]) == ("ALLOW", "BLOCK")
    done = run(*words, *facts)
    assert done.status == 2
    assert "are for `--logs`" in done.stderr
    done = run("diff", "post", "other")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["session", "limit", "(absent)"] in rows
    assert ["user", "user_1"] in rows


def test_scenarios_have_facts(run: Run, post: Path) -> None:
    folder = post / "post" / "scenarios"
    folder.mkdir()
    scenario = (
        "  - {name: %s, session: %s, ledger: {parcels.P: {user: ann}},\n"
        "     call: {tool: redirect, arguments: {id: P}}, expect: {verdict: %s}}\n"
    )
    good = scenario % ("own", "{user: ann}", "ALLOW") + scenario % ("not", "{user: ben}", "BLOCK")
    (folder / "s.yaml").write_text(f"scenarios:\n{good}", encoding="utf-8")
    done = run("test", "post")
    assert (done.status, done.stdout) == (0, "2 scenarios as expected, 0 not\n")
    bad = scenario % ("bad", "{usr: ann}", "ALLOW") + scenario % ("none", "{}", "ALLOW")
    (folder / "s.yaml").write_text(f"scenarios:\n{good}{bad}", encoding="utf-8")
    done = run("test", "post")
    assert done.status == 2
    assert "s.yaml:6:26" in done.stderr
    assert "did you mean `user`?" in done.stderr
    assert "s.yaml:8:5" in done.stderr
    assert "write `session: {...}`" in done.stderr


def test_what_is_generated_has_facts_and_passes(run: Run, post: Path) -> None:
    done = run("generate", "post", "-o", "made")
    assert done.status == 0
    assert "session:" in (post / "made" / "own.yaml").read_text(encoding="utf-8")
    done = run("test", "made", "--domain", "post")
    assert done.status == 0, done.stdout


def test_prove_shows_the_facts(run: Run, post: Path) -> None:
    done = run("prove", "post")
    assert done.status == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert any(line.startswith("session.user: ") for line in lines)
    assert any(line.startswith("session.limit: ") for line in lines)
    start = next(line for line in lines if line.startswith("at the start"))
    after = lines[lines.index(start) + 1]
    assert after.startswith("session.user ")


def test_the_table_of_a_counterexample_has_the_facts(run: Run, post: Path) -> None:
    policy = POLICY.replace("|| has(session.limit)", '|| session.roles.exists(r, r == "a")')
    (post / "post" / "policy.yaml").write_text(policy, encoding="utf-8")
    done = run("check", "post")
    assert done.status == 1
    assert "session.user" in done.stdout
