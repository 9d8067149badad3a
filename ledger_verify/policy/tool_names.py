"""The tools that rules and invariants are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ledger_verify.policy.regions import value_region
from ledger_verify.policy.rules import StrayTool
from ledger_verify.policy.tool_loading import unknown_tool
from ledger_verify.policy.tools import Tools
from ledger_verify.policy.yaml_file import DataPath, YamlFile


@dataclass(frozen=True)
class ToolNames:
    """Looks up the tools that the documents of one file name.

    With `lenient` a name that the domain does not have is put aside in `strays`; otherwise it is
    an error.
    """

    file: YamlFile
    tools: Tools
    lenient: bool = False
    strays: list[StrayTool] = field(default_factory=list)

    def known(self, names: list[str], owner_id: str, path: DataPath) -> Iterator[str]:
        """The tools that the document `owner_id` at `path` is about; raises `InputError`."""
        listed = isinstance(self.file.at((*path, "tools")), list)
        for position, name in enumerate(names):
            where = (*path, "tools", position) if listed else (*path, "tools")
            if name in names[:position]:
                raise self.file.error(f"`{name}` is named twice", where)
            if name in self.tools:
                yield name
                continue
            problem = unknown_tool(name, self.tools)
            if not self.lenient:
                raise self.file.error(problem.message, where, hint=problem.hint)
            owner = "rule" if path[0] == "rules" else "invariant"
            found = value_region(self.file, where)
            self.strays.append(StrayTool(name, owner, owner_id, found, problem.hint))
