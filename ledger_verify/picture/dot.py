"""The picture in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.picture.model import Arrow, Box, Column, Kind, Picture
from ledger_verify.picture.texts import one_line

_SHAPES = {
    Column.READ: "box",
    Column.PATH: "cylinder",
    Column.RULE: "hexagon",
    Column.WRITE: "box",
}
_COLOURS = {
    "": 'fillcolor="#f6f8fa"',
    "error": 'fillcolor="#ffd7d5", color="#cf222e", penwidth=2',
    "warning": 'fillcolor="#fff3c4", color="#9a6700", penwidth=2',
}
_LINES = {
    Kind.EVIDENCE: "",
    # these lead backwards, and so do not count for the order of the columns
    Kind.ARGUMENT: 'style=dashed, color="#0a5fb4", fontcolor="#0a5fb4", constraint=false',
    Kind.STALE: 'color="#8a4b08", constraint=false',
}


def dot(picture: Picture) -> str:
    """The text of the digraph."""
    lines = "\n".join(f"  {line}" for line in _lines(picture))
    return f"digraph {_quoted(picture.title)} {{\n{lines}\n}}\n"


def _lines(picture: Picture) -> Iterator[str]:
    yield f'rankdir=LR; bgcolor="#ffffff"; tooltip={_quoted(picture.description)};'
    yield 'node [style=filled, fontname="Courier", fontsize=11, fontcolor="#1f2328"];'
    yield 'edge [fontname="Courier", fontsize=9, color="#57606a"];'
    for number, box in enumerate(picture.boxes):
        yield f'"n{number}" [{_attributes(box)}];'
    for column in Column:
        names = [f'"n{n}"' for n, box in enumerate(picture.boxes) if box.column is column]
        if names:
            yield f"{{ rank=same; {'; '.join(names)}; }}"
    for arrow in picture.arrows:
        yield f'"n{arrow.source}" -> "n{arrow.target}"{_line(arrow)};'


def _attributes(box: Box) -> str:
    label = "\\n".join(_escaped(line) for line in box.lines)
    told = f", tooltip={_quoted(' / '.join(box.findings))}" if box.findings else ""
    return f'label="{label}", shape={_SHAPES[box.column]}, {_COLOURS[box.severity]}{told}'


def _line(arrow: Arrow) -> str:
    label = f"label={_quoted(arrow.label)}" if arrow.label else ""
    attributes = ", ".join(filter(None, (label, _LINES[arrow.kind])))
    return f" [{attributes}]" if attributes else ""


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Text inside quotes; Graphviz also reads entities such as `&lt;` there."""
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
