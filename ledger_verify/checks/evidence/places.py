"""Where the parts of tools stand in the files of a domain."""

from __future__ import annotations

from ledger_verify.lang.errors import Location
from ledger_verify.policy.domain import Domain


def argument_place(domain: Domain, tool: str, argument: str) -> Location:
    """The place of an argument of the tool; one that may be left out has a `?` in the file."""
    file, path = domain.sources["domain"], ("tools", tool, "arguments")
    known = file.data["tools"][tool].get("arguments") or {}
    name = argument if argument in known else f"{argument}?"
    return file.locate_key((*path, name))


def touch_place(domain: Domain, tool: str, index: int) -> Location:
    """The place of one of the tool's `touches`."""
    return domain.sources["domain"].locate(("tools", tool, "touches", index))
