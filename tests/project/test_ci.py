"""The hook for pre-commit and the pages on continuous integration do what they say."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner, Result

from ledger_verify.cli.app import app
from tests.checks.depot import depot

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def _shown(kind: str) -> Any:
    found = re.search(rf"<!-- {kind} -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert found, kind
    return yaml.safe_load(found[1])


def _run(command: str, folder: Path) -> Result:
    """A command as a shell runs it in the folder: `*` stands for what is there."""
    program, *words = shlex.split(command)
    assert program == "ledger-verify"
    matched = [[str(p.relative_to(folder)) for p in sorted(folder.glob(word))] for word in words]
    expanded = [
        name
        for word, names in zip(words, matched, strict=True)
        for name in (names if "*" in word else [word])
    ]
    return CliRunner().invoke(app, expanded)


TEMPLATE = "{name: x, description: Nothing but what is so., require: 'true', message: No.}"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two domains, one of them with a finding, and files of other kinds."""
    (tmp_path / "policies").mkdir()
    for name, least in (("good", 1), ("bad", 0)):
        rule = {
            "id": "some", "tools": ["ship"],
            "require": f"args.parcels >= {least}", "clause": "One at least.",
        }  # fmt: skip
        depot({"rules": [rule]}, tmp_path / "policies" / name)
    (tmp_path / "policies" / "good" / "rules").mkdir(exist_ok=True)
    for name in ("README.md", "app.yaml", "policies/notes.yaml"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "policies/good/rules/x.yaml").write_text(TEMPLATE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def _hooked(*files: str) -> Result | None:
    """What pre-commit does: the entry, then the changed files that the hook wants."""
    wanted = [file for file in files if re.search(HOOK["files"], file)]
    assert HOOK.get("pass_filenames", True)
    return _run(shlex.join([*shlex.split(HOOK["entry"]), *wanted]), Path.cwd()) if wanted else None


def test_the_hook_checks_the_domains_of_the_changed_files(repository: Path) -> None:
    good = _hooked("README.md", "policies/good/schema.yaml", "policies/good/policy.yaml")
    assert good is not None
    assert (good.exit_code, good.output) == (0, "depot: 1 rule, no findings\n")
    bad = _hooked("policies/bad/domain.yaml")
    assert bad is not None
    assert bad.exit_code == 1
    assert "policies/bad/policy.yaml:5:" in bad.output
    both = _hooked("policies/bad/policy.yaml", "policies/good/rules/x.yaml")
    assert both is not None
    assert both.exit_code == 1
    assert both.output.endswith("1 finding\ndepot (policies/good): 1 rule, no findings\n")


@pytest.mark.parametrize(
    "file",
    ["README.md", "app.yaml", "policies/notes.yaml", "my_policy.yaml", "rules/a/b.yaml", "a.yml"],
)
def test_the_hook_leaves_other_files_alone(repository: Path, file: str) -> None:
    assert _hooked(file) is None


@pytest.mark.parametrize(
    "file", ["policy.yaml", "a/b/domain.yaml", "a/schema.yaml", "rules/x.yaml"]
)
def test_the_hook_wants_all_files_of_a_domain(file: str) -> None:
    assert re.search(HOOK["files"], file)


def test_the_hook_is_one_that_pre_commit_takes() -> None:
    assert {"id", "name", "entry", "language"} <= set(HOOK)
    assert HOOK["language"] == "python"
    assert HOOK["require_serial"] is True  # one run for all files, not one a processor


def test_the_page_names_the_hook(repository: Path) -> None:
    (source,) = _shown("pre-commit")["repos"]
    (used,) = source["hooks"]
    assert used["id"] == HOOK["id"]
    assert re.search(used["files"], "policies/good/policy.yaml")
    assert not re.search(used["files"], "openapi/schema.yaml")


def test_the_workflow_writes_what_it_uploads(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = _shown("workflow")["jobs"]["check"]
    steps = {step.get("uses", "").partition("@")[0]: step for step in job["steps"]}
    kept = job["env"]["LEDGER_VERIFY_CACHE"]
    assert steps["actions/cache"]["with"]["path"] == kept
    monkeypatch.setenv("LEDGER_VERIFY_CACHE", kept)
    (command,) = [s["run"] for s in job["steps"] if s.get("run", "").startswith("ledger-verify")]
    done = _run(command, repository)
    assert done.exit_code == 1
    assert "warning[LV102]" in done.output
    assert (repository / kept / "answers.sqlite").is_file()
    upload = steps["github/codeql-action/upload-sarif"]
    log = json.loads((repository / upload["with"]["sarif_file"]).read_text(encoding="utf-8"))
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "policies/bad/policy.yaml"
    assert upload["if"] == "success() || failure()"


def test_the_other_job_writes_what_it_reports(repository: Path) -> None:
    job = _shown("gitlab")["policies"]
    assert job["cache"]["paths"] == [job["variables"]["LEDGER_VERIFY_CACHE"]]
    done = _run(job["script"][-1], repository)
    assert done.exit_code == 1
    report = repository / job["artifacts"]["reports"]["junit"]
    suites = ElementTree.fromstring(report.read_text(encoding="utf-8"))
    assert suites.get("failures") == "1"
