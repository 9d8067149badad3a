"""What YAML made of a text, where it is a list, a mapping or nothing, and how to write the text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ledger_verify.policy.yaml_file import DataPath, YamlFile
from ledger_verify.policy.yaml_traps import in_quotes

_WORDS = re.compile(r"\w+(?:[ -]\w+)*")
_NAMED = {"rules": "rule", "invariants": "invariant", "examples": "example"}


EXPRESSION = "an expression"


class Misread(ValueError):
    """Not a text; `wanted` is what should stand there instead."""

    def __init__(self, wanted: str, found: Any) -> None:
        known = {list: "a list", dict: "a mapping", type(None): "nothing"}
        shown = known.get(type(found)) or f"`{str(found).lower()}`"
        super().__init__(f"expected {wanted}, found {shown}")
        self.wanted = wanted


def text_hint(misread: Misread, file: YamlFile, path: DataPath) -> str | None:
    """How to write the text that YAML read as something else at the path."""
    data = file.at(path)
    source = file.source(path)
    match data:
        case None:
            if path and file.source(path[:-1])[:1] == "{":
                return "inside `{...}` a text with a comma, brackets or braces needs quotes"
            return None
        case list() if misread.wanted == EXPRESSION and all(map(_is_plain, data)):
            shown = f"[{', '.join(json.dumps(item, ensure_ascii=False) for item in data)}]"
            return f"an expression is put in quotes: `{in_quotes(shown)}`"
        case list() | Mapping():
            shown = f": `{in_quotes(source)}`" if source and "\n" not in source else ""
            return f"a text that YAML reads as something else is put in quotes{shown}"
    return f"put it in quotes: `{in_quotes(source)}`"


def _is_plain(item: Any) -> bool:
    """Whether the item of a list is a value, and no expression."""
    if isinstance(item, str):
        return _WORDS.fullmatch(item) is not None
    return isinstance(item, bool | int | None) and not isinstance(item, Decimal)


def described(path: Sequence[str | int], data: Any) -> str:
    """A place in a file in words: `with.limit` of rule `r`, where the rule has a name."""
    match path:
        case [str(section), int(index), *below] if below and section in _NAMED:
            item = data[section][index]
            name = next((item[k] for k in ("id", "name", "use") if k in item), None)
            if isinstance(name, str):
                return f"`{'.'.join(map(str, below))}` of {_NAMED[section]} `{name}`"
    return f"`{'.'.join(map(str, path)) or 'the file'}`"
