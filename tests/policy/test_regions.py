"""Every part of a rule is found again where it stands in the file."""

import re
from pathlib import Path

import pytest

from ledger_verify.lang.errors import Location
from ledger_verify.lang.parse import parse
from ledger_verify.lang.printer import print_expression
from ledger_verify.lang.typed import walk
from ledger_verify.policy.data_files import bundled_domains
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import Region, region
from ledger_verify.policy.yaml_file import YamlFile

DOMAIN = """
domain: till
ledger: {}
tools:
  pay: {kind: write, arguments: {amount: integer, note: string}}
"""


def _text(files: list[YamlFile], place: Region) -> str:
    (file,) = [file for file in files if file.name == place.start.file]
    start, end = (_offset(file.text, at) for at in (place.start, place.end))
    return file.text[start:end]


def _offset(text: str, at: Location) -> int:
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: at.line - 1])) + at.column - 1


@pytest.mark.parametrize("name", bundled_domains())
def test_the_region_of_every_part_holds_its_text(name: str) -> None:
    domain = Domain.load(name)
    files = [*domain.sources.values(), *(t.file for t in domain.templates.values())]
    seen = 0
    for rule in domain.rules:
        for part in walk(rule.holds):
            place = region(part.span, files)
            if place is None:
                assert part.span.place is None  # made by the loader, not written by anybody
                continue
            (file,) = [file for file in files if file.name == place.start.file]
            assert part.span.place is not None
            value = file.data
            for step in part.span.place.path:
                value = value[step]
            whole = value if isinstance(value, str) else str(value)
            written = whole[part.span.place.offset :][part.span.start : part.span.end]
            found = _text(files, place)
            assert "".join(found.split()) == "".join(written.split())
            seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    "written",
    [
        'require: args.amount < 5 || args.note == "x"',
        "require: 'args.amount < 5 || args.note == \"x\"'",
        'require: >\n      args.amount < 5\n      || args.note == "x"',
        'require: |\n      args.amount < 5\n      || args.note == "x"',
        'require: "args.amount < 5 || args.note == \\"x\\""',
        "let: {small: args.amount < 5}\n    require: 'small || args.note == \"x\"'",
    ],
)
def test_a_part_is_found_however_the_text_is_written(written: str, tmp_path: Path) -> None:
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    (tmp_path / "policy.yaml").write_text(
        f"rules:\n  - id: r\n    tools: [pay]\n    {written}\n    message: '{{args.note}}'\n"
    )
    domain = Domain.load(tmp_path)
    (rule,) = domain.rules
    files = list(domain.sources.values())
    texts = []
    for part in walk(rule.require):
        place = region(part.span, files)
        assert place is not None
        texts.append(_text(files, place).replace('\\"', '"'))
    assert "args.amount < 5" in texts
    assert 'args.note == "x"' in texts
    (hole,) = [piece for piece in rule.message if not isinstance(piece, str)]
    place = region(hole.span, files)
    assert place is not None
    assert _text(files, place) == "args.note"
    assert all(print_expression(parse(re.sub(r"\s+", " ", text))) for text in texts)
