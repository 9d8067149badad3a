"""The page on templates lists the parameters that the files declare, and no others."""

import re
from pathlib import Path

import pytest

from ledger_verify.policy.templates import Template, TemplateLibrary

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
LIBRARY = list(TemplateLibrary.of(ROOT / "rules"))
_SECTION = re.compile(r"^### (\w+)\n\n(.*)\n\n\| parameter .*\n\|[-|]+\n((?:\|.*\n)+)", re.M)
SECTIONS = {name: (summary, rows) for name, summary, rows in _SECTION.findall(PAGE)}


def rows_of(template: Template) -> list[str]:
    """What the page has to say of the parameters, line by line."""
    return [
        f"| `{name}` | {parameter.type} | {default} | {' '.join(parameter.description.split())} |"
        for name, parameter in template.document.parameters.items()
        for default in [
            "required" if parameter.default is None else f"`{' '.join(parameter.default.split())}`"
        ]
    ]


def test_every_template_has_its_section_in_order_of_names() -> None:
    assert list(SECTIONS) == [template.document.name for template in LIBRARY]


@pytest.mark.parametrize("template", LIBRARY, ids=lambda template: template.document.name)
def test_a_section_says_what_the_file_declares(template: Template) -> None:
    summary, rows = SECTIONS[template.document.name]
    assert summary == f"{template.summary}."
    assert rows.splitlines() == rows_of(template)
