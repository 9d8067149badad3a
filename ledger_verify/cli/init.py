"""`init NAME --tools FILE`: a first domain from a list of tools."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ledger_verify.cli.options import DebugOption
from ledger_verify.cli.output import Format, FormatOption, emit, emit_json, plural, printable
from ledger_verify.cli.scaffold.sketch import Sketch, sketch
from ledger_verify.cli.scaffold.texts import files_of
from ledger_verify.cli.scaffold.tool_files import read_tools
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.data_files import bundled_domains
from ledger_verify.policy.domain import Domain
from ledger_verify.source.json_file import STDIN

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the domain.")],
    tools: Annotated[
        str,
        typer.Option(
            "--tools",
            metavar="FILE",
            help="OpenAI functions, MCP `tools/list`, or OpenAPI 3, as JSON or YAML; or `-`.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write; else `./NAME`."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the files of a folder that exists.")
    ] = False,
    format: FormatOption = Format.TEXT,
    debug: DebugOption = False,
) -> int:
    """Write a domain folder from a list of tools, strict from the start: every write is blocked.

    Kinds of tools that the list does not give are guessed, and marked as guesses; what does not
    clearly read counts as a write. Exit status: 0, 2 for bad input.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"`{name}` cannot be the name of a domain",
            hint="expected a letter, then letters, digits, `_` and `-`; `-o` names the folder",
        )
    folder = output if output is not None else Path(name)
    _check_target(folder, force)
    made = sketch(name, "standard input" if tools == STDIN else f"`{Path(tools).name}`",
                  read_tools(tools))  # fmt: skip
    files = files_of(made)
    _check_loads(files)
    _write(folder, files)
    if format is Format.JSON:
        emit_json(_json(made, folder, files))
    else:
        emit("\n".join(_told(made, folder, files)))
    return 0


def _check_target(folder: Path, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"`{folder}` is a file, not a folder")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise InputError(
            f"folder `{folder}` exists and is not empty",
            hint="choose another with `-o`, or overwrite the domain in it with `--force`",
        )


def _check_loads(files: Mapping[str, str]) -> None:
    """Load the domain before anything is written; that it fails is a defect of this program."""
    with tempfile.TemporaryDirectory() as place:
        _write(Path(place), files)
        try:
            Domain.load(f"{place}/.")
        except InputError as problem:
            raise RuntimeError(f"the domain would not load: {problem}") from None


def _write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InputError(f"cannot write `{problem.filename}`: {problem.strerror}") from None


def _json(made: Sketch, folder: Path, files: Mapping[str, str]) -> dict[str, Any]:
    return {
        "domain": made.name,
        "folder": str(folder),
        "files": list(files),
        "tools": [
            {
                "name": tool.entry.name,
                "kind": tool.entry.kind.kind,
                "guessed_from": tool.entry.kind.guess,
                "by": "user" if tool.entry.by_user else "agent",
            }
            for tool in made.tools
        ],
        "remarks": list(made.remarks),
    }


def _told(made: Sketch, folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    kinds = Counter(tool.entry.kind.kind for tool in made.tools)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in ("read", "write", "neutral"))
    guessed = sum(tool.entry.kind.guess is not None for tool in made.tools)
    yield f"wrote {', '.join(files)} to {printable(str(folder))}"
    yield f"{plural(len(made.tools), 'tool')} ({counts}); the kind of {guessed} is guessed"
    for remark in made.remarks:
        yield f"note: {printable(remark)}"
    name = f"./{folder}" if str(folder) in bundled_domains() else str(folder)
    yield f"every write is blocked until it has a rule; next: `ledger-verify check {name}`"
