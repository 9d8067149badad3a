"""Where the parts of tools stand in the files of a domain."""

from __future__ import annotations

from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import Region


def argument_region(domain: Domain, tool: str, argument: str) -> Region:
    """The name of an argument of the tool; one that may be left out has a `?` in the file."""
    file, arguments = domain.sources["domain"], ("tools", tool, "arguments")
    known = file.data["tools"][tool].get("arguments") or {}
    name = argument if argument in known else f"{argument}?"
    path = (*arguments, name)
    return Region(file.locate_key(path), file.locate_after(path, len(name), is_key=True))


def touch_region(domain: Domain, tool: str, index: int) -> Region:
    """The path of one of the tool's `touches`."""
    file, item = domain.sources["domain"], ("tools", tool, "touches", index)
    touched = file.data["tools"][tool]["touches"][index]
    path, text = (
        ((*item, "path"), touched["path"]) if isinstance(touched, dict) else (item, touched)
    )
    return Region(file.locate(path), file.locate_after(path, len(text)))


def default_region(domain: Domain) -> Region:
    """The verdict for writes without rules, where the file says it."""
    file = domain.sources["domain"]
    return Region(file.locate(("default",)), file.locate_after(("default",), len(domain.default)))
