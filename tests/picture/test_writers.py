"""The three languages: whole files of a small domain, and the grammar of all others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ledger_verify.picture.dot import dot
from ledger_verify.picture.layout import CHARACTER, layout
from ledger_verify.picture.mermaid import mermaid
from ledger_verify.picture.model import Picture, picture
from ledger_verify.picture.svg import svg
from ledger_verify.picture.texts import cells
from ledger_verify.policy.domain import Domain
from tests.picture.grammar import dot_errors, mermaid_errors
from tests.picture.samples import BARE, ODD, findings, many, odd, small

PICTURES: dict[str, Callable[[], Picture]] = {
    **{
        name: lambda name=name: picture(Domain.load(name))  # type: ignore[misc]
        for name in ("airline", "retail", "telecom", "telehealth")
    },
    **{name: lambda domain=domain: picture(domain) for name, domain in BARE.items()},  # type: ignore[misc]
    "findings": lambda: picture(small(), findings()),
    "odd names": lambda: picture(odd()),
    "many rules": lambda: picture(many(1000)),
}
ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=PICTURES, scope="module")
def drawn(request: pytest.FixtureRequest) -> Picture:
    return PICTURES[request.param]()


@pytest.mark.parametrize("write", [mermaid, dot, svg])
def test_whole_files(write: Callable[[Picture], str], golden: Callable[[str, str], None]) -> None:
    golden(f"picture/small.{write.__name__}", write(picture(small(), findings())))


def test_mermaid_is_well_formed(drawn: Picture) -> None:
    text = mermaid(drawn)
    assert mermaid_errors(text) == []
    assert text.count("  end\n") == text.count("  subgraph ")
    assert len(re.findall(r" (?:-->|-\.->|==>)", text)) == len(drawn.arrows)


def test_dot_is_well_formed(drawn: Picture) -> None:
    text = dot(drawn)
    assert dot_errors(text) == []
    assert len(re.findall(r'^  "n\d+" -> ', text, re.M)) == len(drawn.arrows)


def test_svg_is_well_formed(drawn: Picture) -> None:
    root = ElementTree.fromstring(svg(drawn))
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc")
    assert len(root.findall(f"{SVG}g")) == len(drawn.boxes)
    told = [p for p in root.findall(f"{SVG}path") if p.find(f"{SVG}title") is not None]
    assert len(told) == len(drawn.arrows)


def test_boxes_do_not_overlap_and_hold_their_text(drawn: Picture) -> None:
    laid = layout(drawn)
    for placed in laid.placed:
        assert placed.x > 0
        assert placed.x + placed.width < laid.width
        assert placed.y > 0
        assert placed.y + placed.height < laid.height
        assert all(cells(line) * CHARACTER < placed.width for line in placed.lines)
    columns: dict[float, list[tuple[float, float]]] = {}
    for placed in laid.placed:
        columns.setdefault(placed.x, []).append((placed.y, placed.y + placed.height))
    for spans in columns.values():
        spans.sort()
        assert all(end < start for (_, end), (start, _) in pairwise(spans))
    edges = {p.x: p.x + p.width for p in laid.placed}
    assert all(edges[a] < b for a, b in combinations(sorted(edges), 2))


def test_odd_names_are_text_and_nothing_else() -> None:
    drawn = picture(odd())
    root = ElementTree.fromstring(svg(drawn))
    shown = {element.text for element in root.iter(f"{SVG}text")}
    assert {ODD[0], ODD[1], ODD[2], ODD[3], "end of; line | %"} <= shown
    assert root.find(f".//{SVG}b") is None
    assert '"#60;/text#62;#60;b#62;#38;amp;"' in mermaid(drawn)
    assert '"back\\\\slash `tick`"' in dot(drawn)


def test_what_no_file_can_hold_is_replaced() -> None:
    domain = Domain.define("a\x00b\x1b\ufffec", tools={"\x07act": {"kind": "write"}}, ledger={})
    for write in (mermaid, dot, svg):
        text = write(picture(domain))
        assert text.isprintable() or all(c.isprintable() or c == "\n" for c in text)
    ElementTree.fromstring(svg(picture(domain)))


def test_long_names_are_cut_and_told_in_full() -> None:
    name = "n" * 200
    domain = Domain.define("long", tools={name: {"kind": "write"}}, ledger={})
    root = ElementTree.fromstring(svg(picture(domain)))
    assert name not in {element.text for element in root.iter(f"{SVG}text")}
    assert name in {element.text for element in root.iter(f"{SVG}title")}


def test_every_process_draws_the_same() -> None:
    program = (
        "from ledger_verify.policy.domain import Domain\n"
        "from ledger_verify.picture.model import picture\n"
        "from ledger_verify.picture.svg import svg\n"
        "print(svg(picture(Domain.load('telecom'))))"
    )
    drawn = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(drawn) == 1
