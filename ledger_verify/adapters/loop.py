"""The published loop (arXiv 2606.20529) around any model that is a function.

Each turn: absorb tool returns, render the ledger into the prompt, generate once, gate every call,
answer every call id. REVISE goes back to the model with reason, reads and repair; BLOCK ends in a
refusal that speaks to the person. No model call is added.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.adapters.chat import ChatCall, ChatGuard, calls_of, spoken_refusal
from ledger_verify.conversation.plain import plain_message
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.ledger.misfits import Drift
from ledger_verify.source.json_text import json_text

log = logging.getLogger("ledger_verify.loop")

Generate = Callable[[list[dict[str, Any]], Sequence[Mapping[str, Any]]], dict[str, Any]]
"""`generate(messages, tools)` returns one assistant message in OpenAI chat format."""

Execute = Callable[[str, Any], Any]
"""`execute(name, arguments)` runs a tool and returns its result. After an exception nobody knows
whether it ran."""


@dataclass(frozen=True)
class Turn:
    """What one turn added to the conversation, and the verdicts on its calls.

    `finished` tells that it is the person's turn now: the model spoke, or a call was blocked.
    `drifts` are results that did not fit the schema and so are no evidence.
    """

    messages: tuple[dict[str, Any], ...]
    verdicts: tuple[Verdict, ...]
    finished: bool
    drifts: tuple[Drift, ...] = ()


@dataclass
class GatedLoop:
    """Runs a model with its tools behind the gate.

    `tools` are the tool descriptions for the model. A call that is refused with the same words
    more than `patience` times ends in a refusal, too: the model is not getting anywhere.
    """

    session: Session
    generate: Generate
    execute: Execute
    tools: Sequence[Mapping[str, Any]] = ()
    patience: int = 3
    guard: ChatGuard = field(init=False)
    _refusals: Counter[str] = field(default_factory=Counter)
    _drifts: list[Drift] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.guard = ChatGuard(self.session)

    def run(self, messages: list[dict[str, Any]], *, max_turns: int = 50) -> list[Turn]:
        """Take turns until it is the person's turn; extends `messages` in place."""
        turns: list[Turn] = []
        while len(turns) < max_turns:
            turn = self.turn(messages)
            messages.extend(turn.messages)
            turns.append(turn)
            if turn.finished:
                break
        return turns

    def turn(self, messages: Sequence[dict[str, Any]]) -> Turn:
        """One turn: one model call. `messages` stays as it is; what was added is in the turn."""
        self.guard.absorb(messages)
        reply = self.generate(self._prompt(messages), self.tools)
        calls = calls_of(reply)
        if not calls:
            return Turn((reply,), (), finished=True)
        answers: list[dict[str, Any]] = []
        verdicts: list[Verdict] = []
        final: list[Verdict] = []
        for call in calls:
            verdict = self.guard.verdict(call)
            verdicts.append(verdict)
            if verdict.allowed:
                answers.append(self._run(call))
                continue
            answers.append(self.guard.refuse(call, verdict))
            if verdict.decision is Decision.BLOCK or self._gets_nowhere(verdict):
                final.append(verdict)
        added = (reply, *answers)
        if final:
            added += ({"role": "assistant", "content": spoken_refusal(final)},)
        drifts, self._drifts = tuple(self._drifts), []
        return Turn(added, tuple(verdicts), bool(final), drifts)

    def _prompt(self, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The conversation with the ledger behind its leading system messages."""
        ledger = self.guard.ledger_message()
        if ledger is None:
            return list(messages)
        start = 0
        while start < len(messages) and messages[start].get("role") == "system":
            start += 1
        return [*messages[:start], ledger, *messages[start:]]

    def _run(self, call: ChatCall) -> dict[str, Any]:
        answer: dict[str, Any] = {"role": "tool", "tool_call_id": call.id, "name": call.name}
        try:
            # a copy: what a tool makes of its arguments changes nothing of what was judged
            result = self.execute(call.name, deepcopy(call.arguments))
            answer["content"] = result if isinstance(result, str) else _json(result)
        except Exception as problem:
            # whatever a tool raises is for the model to see; it may have done its work before
            answer["content"] = f"Error, outcome unknown: {problem}"
            self.guard.interrupt(call, answer)
            return answer
        except BaseException:  # the loop ends, and nobody will know whether the tool ran
            self.guard.interrupt(call)
            raise
        for drift in self.guard.observe(call, answer):
            log.warning("%s: `%s` was not observed: %s", drift.tool, drift.pattern, drift.reason)
            self._drifts.append(drift)
        return answer

    def _gets_nowhere(self, verdict: Verdict) -> bool:
        words = f"{verdict.tool} {verdict.arguments} {verdict.message}"
        self._refusals[words] += 1
        return self._refusals[words] > self.patience


def _json(value: Any) -> str:
    return json_text(plain_message(value), indent=None)
