"""The earlier calls of a session: what was proposed, how it was judged, whether it happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.policy.evidence import Unknown, unknown_call

UNCHECKED = "UNCHECKED"


@dataclass
class History:
    """Earlier calls, oldest first, as the records that rules read.

    A record has `tool`, `args` (typed values), `ok` (it ran without error), `verdict` and `time`
    (microseconds since 1970). `args`, `ok` and `time` are `Unknown` where nobody has told them.
    Calls are kept by tool, so a rule pays for those that it reads.
    """

    by_tool: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    all: list[dict[str, Any]] = field(default_factory=list)
    _unsure: dict[str, int] = field(default_factory=dict)
    _lost: set[str] = field(default_factory=set)

    def add(
        self, tool: str, args: Any, verdict: str, time_us: Any, *, ok: bool | Unknown
    ) -> dict[str, Any]:
        """Add a call with what is known of it."""
        call = {"tool": tool, "args": args, "ok": ok, "verdict": verdict, "time": time_us}
        if _is_unsure(call):
            self._unsure[tool] = self._unsure.get(tool, 0) + 1
        self.by_tool.setdefault(tool, []).append(call)
        self.all.append(call)
        return call

    def settle(self, call: dict[str, Any], ok: bool | Unknown) -> None:
        """Whether a call happened is known now, or known never to be."""
        was = _is_unsure(call)
        call["ok"] = ok
        if was and not _is_unsure(call):
            left = self._unsure[call["tool"]] - 1
            if left:
                self._unsure[call["tool"]] = left
            else:
                del self._unsure[call["tool"]]

    def refuse(self, call: dict[str, Any]) -> None:
        """A call that was to be allowed is refused after all."""
        call["verdict"] = "BLOCK"
        self.settle(call, False)

    def lose(self, tool: str) -> None:
        """Nothing is known any more of which calls of the tool there were."""
        self._lost.add(tool)

    def is_lost(self, name: str) -> bool:
        """Whether it is unknown which calls `history` or `history.tool` holds."""
        if not self._lost:
            return False
        _, _, tool = name.partition(".")
        return not tool or tool in self._lost

    def is_sure(self, name: str) -> bool:
        """Whether all of `history` or `history.tool` is known."""
        if not self._unsure and not self._lost:
            return True
        _, _, tool = name.partition(".")
        return bool(tool) and tool not in self._unsure and tool not in self._lost

    def calls(self, name: str) -> tuple[dict[str, Any], ...]:
        """The value of `history` or `history.tool`."""
        _, _, tool = name.partition(".")
        return tuple(self.by_tool.get(tool, ()) if tool else self.all)

    def value(self, name: str) -> tuple[dict[str, Any], ...] | Unknown:
        """The same, or `Unknown` where it is not known which calls there were."""
        if self.is_lost(name):
            _, _, tool = name.partition(".")
            return unknown_call(tool or min(self._lost), awaited=False)
        return self.calls(name)

    def unsure(self, tool: str) -> int:
        """Of how many calls of the tool something is not known."""
        return self._unsure.get(tool, 0)

    def copy(self) -> History:
        """An independent history with the same calls."""
        fresh = {id(call): dict(call) for call in self.all}
        by_tool = {
            tool: [fresh[id(call)] for call in calls] for tool, calls in self.by_tool.items()
        }
        every = [fresh[id(call)] for call in self.all]
        return History(by_tool, every, dict(self._unsure), set(self._lost))


def _is_unsure(call: Mapping[str, Any]) -> bool:
    return any(isinstance(call[name], Unknown) for name in ("ok", "args", "time"))
