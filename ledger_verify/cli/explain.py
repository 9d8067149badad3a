"""`check --explain CODE`: the page of a check."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.cli.output import ReportFormat, emit, emit_json, styled, table
from ledger_verify.lang.errors import InputError

ALL = "all"


def explain(name: str, format: ReportFormat) -> None:
    """Print the page of the check of that code or name; a list for several of them, or for `all`.

    Raises `InputError` for an unknown name, and for a format other than text and JSON.
    """
    from ledger_verify.checks.catalog import find_pages, pages

    chosen = pages() if name == ALL else find_pages(name)
    is_list = name == ALL or len(chosen) > 1
    if format is ReportFormat.JSON:
        shown = [
            {"code": a.code, "name": a.name, "severity": a.severity, "page": text}
            for a, text in chosen.items()
        ]
        emit_json({"checks": shown} if is_list else shown[0])
    elif format is not ReportFormat.TEXT:
        raise InputError("`--explain` prints text or json", hint=f"not `{format.value}`")
    elif is_list:
        rows = [(a.code, a.name, a.severity, text.split("\n")[0]) for a, text in chosen.items()]
        emit(table(("code", "check", "severity", "finds"), rows))
    else:
        emit("\n".join(line for a, t in chosen.items() for line in _page(a.code, a.name, t)))


def _page(code: str, name: str, text: str) -> Iterator[str]:
    yield styled(f"{code} {name}", "bold")
    yield ""
    yield text
