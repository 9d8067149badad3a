"""The picture as an SVG file of its own: dark text on a light panel, whatever is around it."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from ledger_verify.picture.layout import CHARACTER, LINE, Layout, Placed, layout
from ledger_verify.picture.model import Arrow, Column, Kind, Picture
from ledger_verify.picture.texts import one_line, shortened

_FILLS = {
    Column.READ: ("#e8f1fb", "#4d7aa8"),
    Column.PATH: ("#eaf5e6", "#5b8f49"),
    Column.RULE: ("#f3edf9", "#8465a8"),
    Column.WRITE: ("#f1f1f1", "#6e6e6e"),
}
_MARKED = {"error": ("#ffd7d5", "#cf222e"), "warning": ("#fff3c4", "#9a6700")}
_INK = "#1f2328"
_LINES = {
    Kind.EVIDENCE: ("#57606a", ""),
    Kind.ARGUMENT: ("#0a5fb4", ' stroke-dasharray="6 4"'),
    Kind.STALE: ("#8a4b08", ' stroke-dasharray="1 3" stroke-linecap="round"'),
}
_LEGEND_Y = 62


def svg(picture: Picture) -> str:
    """The text of the SVG file."""
    return "\n".join(_parts(picture, layout(picture))) + "\n"


def _parts(picture: Picture, laid: Layout) -> Iterator[str]:
    width, height = f"{laid.width:.0f}", f"{laid.height:.0f}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="title description" '
        "font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
        f'font-size="12" fill="{_INK}">'
    )
    yield f'<title id="title">{_text(picture.title)}</title>'
    yield f'<desc id="description">{_text(picture.description)}</desc>'
    yield "<defs>"
    for kind, (colour, _) in _LINES.items():
        yield (
            f'<marker id="{kind.name.lower()}" viewBox="0 0 8 8" refX="7" refY="4" '
            'markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0 1 L7 4 L0 7 Z" fill="{colour}"/></marker>'
        )
    yield "</defs>"
    yield (
        f'<rect x="0.5" y="0.5" width="{laid.width - 1:.0f}" height="{laid.height - 1:.0f}" '
        'rx="8" fill="#ffffff" stroke="#d0d7de"/>'
    )
    shown = shortened(one_line(picture.title), int((laid.width - 48) / (CHARACTER * 1.25)))
    yield f'<text x="24" y="26" font-size="15" font-weight="bold">{escape(shown)}</text>'
    yield from _legend()
    for x, heading in laid.headings:
        yield f'<text x="{x:.1f}" y="{_LEGEND_Y + 8}" fill="#57606a">{heading}</text>'
    for arrow in picture.arrows:
        yield _arrow(arrow, laid)
    for placed in laid.placed:
        yield from _box(placed)
    yield "</svg>"


def _legend() -> Iterator[str]:
    x = 24.0
    for kind, (colour, dashes) in _LINES.items():
        yield (
            f'<path d="M{x:.1f} 42 h26" fill="none" stroke="{colour}" stroke-width="1.5"{dashes} '
            f'marker-end="url(#{kind.name.lower()})"/>'
        )
        yield f'<text x="{x + 32:.1f}" y="46" font-size="11">{kind.value}</text>'
        x += 32 + len(kind.value) * CHARACTER * 11 / 12 + 20


def _arrow(arrow: Arrow, laid: Layout) -> str:
    start, end = laid.placed[arrow.source], laid.placed[arrow.target]
    if arrow.kind is Kind.EVIDENCE:
        x1, x2, shift = start.x + start.width, end.x, 0.0
    else:  # backwards, a little lower
        x1, x2, shift = start.x, end.x + end.width, 6.0
    bend = (x2 - x1) * 0.45
    y1, y2 = start.middle + shift, end.middle + shift
    colour, dashes = _LINES[arrow.kind]
    path = (
        f"M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    )
    told = f"{start.box.name} -> {end.box.name}: {arrow.label or arrow.kind.value}"
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.2"{dashes} '
        f'marker-end="url(#{arrow.kind.name.lower()})"><title>{_text(told)}</title></path>'
    )


def _box(placed: Placed) -> Iterator[str]:
    box = placed.box
    fill, stroke = _MARKED.get(box.severity, _FILLS[box.column])
    weight = 2.5 if box.severity else 1
    radius = placed.height / 2 if box.column is Column.PATH else 4
    yield "<g>"
    yield f"<title>{_text(' / '.join((box.name, *box.findings)))}</title>"
    yield (
        f'<rect x="{placed.x:.1f}" y="{placed.y:.1f}" width="{placed.width:.1f}" '
        f'height="{placed.height:.1f}" rx="{radius:.1f}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{weight}"/>'
    )
    for number, line in enumerate(placed.lines):
        y = placed.y + 7 + LINE * number + 11
        small = ' fill="#57606a"' if number else ""
        yield (
            f'<text x="{placed.x + placed.width / 2:.1f}" y="{y:.1f}" text-anchor="middle"'
            f"{small}>{escape(line)}</text>"
        )
    yield "</g>"


def _text(text: str) -> str:
    return escape(one_line(text))
