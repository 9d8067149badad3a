"""The earlier calls of a session: what was proposed, how it was judged, whether it ran."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

UNCHECKED = "UNCHECKED"


@dataclass
class History:
    """Earlier calls, oldest first, as the records that rules read.

    A record has `tool`, `args` (typed values), `ok` (it ran without error), `verdict` and `time`
    (microseconds since 1970). Calls are kept by tool, so a rule pays for those that it reads.
    """

    by_tool: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    all: list[dict[str, Any]] = field(default_factory=list)
    _allowed: list[dict[str, Any]] = field(default_factory=list)
    _unread: set[str] = field(default_factory=set)

    def proposed(self, tool: str, args: Mapping[str, Any], verdict: str, time_us: int) -> None:
        """A call was judged; it has not run so far."""
        call = self.add(tool, args, verdict, time_us, ok=False)
        if verdict == "ALLOW":
            self._allowed.append(call)

    def ran(self, tool: str, args: Mapping[str, Any], time_us: int, *, ok: bool) -> None:
        """A call ran: the last one that was allowed with these arguments, or one never judged."""
        for index in range(len(self._allowed) - 1, -1, -1):
            call = self._allowed[index]
            if call["tool"] == tool and call["args"] == args:
                del self._allowed[index]
                call["ok"] = ok
                return
        self.add(tool, args, UNCHECKED, time_us, ok=ok)

    def add(
        self, tool: str, args: Mapping[str, Any], verdict: str, time_us: int, *, ok: bool
    ) -> dict[str, Any]:
        """Add a call with all that is known of it."""
        call = {"tool": tool, "args": args, "ok": ok, "verdict": verdict, "time": time_us}
        self.by_tool.setdefault(tool, []).append(call)
        self.all.append(call)
        return call

    def calls(self, name: str) -> tuple[dict[str, Any], ...]:
        """The value of `history` or `history.tool`."""
        _, _, tool = name.partition(".")
        return tuple(self.by_tool.get(tool, ()) if tool else self.all)

    @property
    def open(self) -> int:
        """How many calls were allowed and have not run so far."""
        return len(self._allowed)

    def supposing(self, ran: Collection[int]) -> History:
        """A copy in which the open calls of these numbers ran without error."""
        copy = self.copy()
        for number in ran:
            copy._allowed[number]["ok"] = True
        return copy

    def unread(self, tool: str) -> None:
        """A call of the tool ran of which the arguments cannot be read."""
        self._unread.add(tool)

    def readable(self, name: str) -> bool:
        """Whether all calls of `history` or `history.tool` could be read."""
        _, _, tool = name.partition(".")
        return not self._unread if not tool else tool not in self._unread

    def copy(self) -> History:
        """An independent history with the same calls."""
        fresh = {id(call): dict(call) for call in self.all}
        by_tool = {
            tool: [fresh[id(call)] for call in calls] for tool, calls in self.by_tool.items()
        }
        allowed = [fresh[id(call)] for call in self._allowed]
        return History(by_tool, [fresh[id(call)] for call in self.all], allowed, set(self._unread))
