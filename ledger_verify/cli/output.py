"""What commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, TextIO

import typer

from ledger_verify.cli.width import padded, text_width
from ledger_verify.lang.errors import InputError
from ledger_verify.source.json_text import json_text

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
VERDICT_COLOURS = {"ALLOW": "green", "REVISE": "yellow", "BLOCK": "red"}


class Format(StrEnum):
    """How a command prints its result."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[
    Format, typer.Option("--format", help="Text for people, or JSON alone on standard output.")
]


class ReportFormat(StrEnum):
    """How a command prints findings; all but text are for other programs."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


ReportFormatOption = Annotated[
    ReportFormat,
    typer.Option("--format", help="Text for people, or a report for other programs."),
]


def emit(text: str) -> None:
    """Print a result on standard output; raises `InputError` where it cannot be written."""
    if sys.stdout is None:
        raise InputError("cannot write to standard output: it is closed")
    try:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        discard_output()
        raise InputError(f"cannot write to standard output: {problem.strerror}") from None


def emit_json(value: Any) -> None:
    """Print a result as JSON, numbers exact."""
    emit(json_text(value, ascii_only=not takes_unicode()))


def takes_unicode() -> bool:
    """Whether any character can be written to standard output."""
    return (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"


def note(text: str) -> None:
    """Tell the person something beside the result, on standard error."""
    _tell(printable(text))


def _tell(text: str) -> None:
    if sys.stderr is not None:
        print(text, file=sys.stderr)


def print_error(error: InputError) -> None:
    """Print an error as `file:line:column: error: message`, with its remedy below."""
    place = f"{printable(str(error.location))}: " if error.location else ""
    _tell(f"{place}{styled('error:', 'red', sys.stderr)} {_lines(error.message)}")
    if error.hint:
        _tell(f"  {styled('help:', 'bold', sys.stderr)} {_lines(error.hint)}")


def _lines(text: str) -> str:
    return "\n".join(printable(line) for line in text.splitlines())


def discard_output() -> None:
    """Let nothing more be written to a standard output that takes no more."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())


def tolerate_any_text() -> None:
    """Print characters that the terminal's encoding lacks as escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """The text with control characters as escapes, so that data cannot steer a terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def coloured(stream: TextIO | None) -> bool:
    """Whether colour may be used: on a terminal, unless `NO_COLOR` or `TERM=dumb` is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream is not None and stream.isatty()


def styled(text: str, style: str, stream: TextIO | None = None) -> str:
    """The text in a style (`bold`, `dim`, `red`, `green`, `yellow`) where colour may be used."""
    if not coloured(stream or sys.stdout):
        return text
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def verdict_text(verdict: str) -> str:
    """A verdict in its colour."""
    return styled(verdict, VERDICT_COLOURS[verdict])


def table(header: Sequence[str], rows: Sequence[Sequence[str | int]]) -> str:
    """Rows in aligned columns; a column that holds whole numbers only is aligned to the right."""
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    widths = [max(map(text_width, column)) for column in zip(header, *cells, strict=True)]
    right = [
        bool(rows) and all(isinstance(row[i], int) for row in rows) for i in range(len(header))
    ]

    def line(row: Sequence[str]) -> str:
        aligned = [
            padded(cell, width, right=to_right)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        return "  ".join(aligned).rstrip()

    return "\n".join([styled(line(header), "bold"), *map(line, cells)])


def plural(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
