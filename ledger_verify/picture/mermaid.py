"""The picture as a Mermaid flowchart, as many readers of Markdown show it."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.picture.model import Box, Column, Kind, Picture
from ledger_verify.picture.texts import one_line

_SHAPES = {
    Column.READ: ("[", "]"),
    Column.PATH: ("[(", ")]"),
    Column.RULE: ("{{", "}}"),
    Column.WRITE: ("[[", "]]"),
}
_ESCAPED = {ord(char): f"#{ord(char)};" for char in '"#&<>`*'}
_CLASSES = (
    "classDef error fill:#ffd7d5,stroke:#cf222e,stroke-width:3px,color:#1f2328",
    "classDef warning fill:#fff3c4,stroke:#9a6700,stroke-width:3px,color:#1f2328",
)


def mermaid(picture: Picture) -> str:
    """The text of the flowchart."""
    return "\n".join(["flowchart LR", *(f"  {line}" for line in _lines(picture))]) + "\n"


def _lines(picture: Picture) -> Iterator[str]:
    yield f"accTitle: {_plain(picture.title)}"
    yield f"accDescr: {_plain(picture.description)}"
    for column in Column:
        numbers = [n for n, box in enumerate(picture.boxes) if box.column is column]
        if numbers:
            yield f'subgraph {column.name.lower()}["{column.value}"]'
            yield from (f"  n{number}{_box(picture.boxes[number])}" for number in numbers)
            yield "end"
    for arrow in picture.arrows:
        label = f'|"{_escaped(arrow.label)}"|' if arrow.label else ""
        line = {Kind.EVIDENCE: "-->", Kind.ARGUMENT: "-.->", Kind.STALE: "==>"}[arrow.kind]
        yield f"n{arrow.source} {line}{label} n{arrow.target}"
    for severity, style in zip(("error", "warning"), _CLASSES, strict=True):
        marked = [f"n{n}" for n, box in enumerate(picture.boxes) if box.severity == severity]
        if marked:
            yield style
            yield f"class {','.join(marked)} {severity}"


def _box(box: Box) -> str:
    before, after = _SHAPES[box.column]
    return f'{before}"{"<br/>".join(map(_escaped, box.lines))}"{after}'


def _escaped(text: str) -> str:
    return one_line(text).translate(_ESCAPED) or " "


def _plain(text: str) -> str:
    """Text of a statement that knows no quotes: what would end or change it is left out."""
    return " ".join("".join(c if c.isalnum() or c in "-_.,:'" else " " for c in text).split())
