"""What the documentation shows is what happens."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ledger_verify.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"<!-- (file: (?P<file>\S+)|run|python) -->\n```\w*\n(?P<body>.*?)```", re.S)


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_marked_blocks_run_as_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are written, commands and Python run in order; their output must be the one shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    names: dict[str, object] = {}
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        body = block["body"]
        if block["file"]:
            target = tmp_path / block["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(body, encoding="utf-8")
        elif block[1] == "run":
            _run_console(body)
        else:
            _run_python(body, names)


def _run_console(body: str) -> None:
    for session in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, expected = session.partition("\n")
        words = shlex.split(command)
        assert words[0] == "ledger-verify", command
        result = CliRunner().invoke(app, words[1:])
        assert result.output.strip() == expected.strip(), command


def _run_python(body: str, names: dict[str, object]) -> None:
    """Run the code; each comment line right after a `print` is what it prints."""
    shown = [
        line[2:]
        for before, line in zip(body.splitlines(), body.splitlines()[1:], strict=False)
        if line.startswith("# ") and before.lstrip().startswith("print(")
    ]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(body, "<documentation>", "exec"), names)
    assert printed.getvalue().splitlines() == shown


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{_name(page)} links to {target}"


def test_every_page_has_something_that_is_run_or_says_why_not() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        tested_elsewhere = "<!-- tested by " in text
        assert tested_elsewhere or _BLOCK.search(text), f"{_name(page)} shows nothing that is run"
