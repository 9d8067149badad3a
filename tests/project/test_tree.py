"""The tree keeps the rules of the house."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("ledger_verify/**/*.py"))
MAX_LINES = 350


@pytest.mark.parametrize("file", FILES)
def test_one_idea_a_file(file: str) -> None:
    lines = len((ROOT / file).read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_LINES, f"{file} has {lines} lines: split it"


@pytest.mark.parametrize("file", FILES)
def test_every_module_has_a_docstring(file: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{file} does not say what it is for"


@pytest.mark.parametrize("file", FILES)
def test_nothing_is_left_for_later(file: str) -> None:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    marked = [n for n, line in enumerate(lines, 1) if re.search(r"\b(TODO|FIXME)\b", line)]
    assert not marked, f"{file}: lines {marked}"
