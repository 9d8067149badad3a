"""A session: one conversation with its ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from ledger_verify.gate.clock import SessionTime
from ledger_verify.gate.decide import (
    Clock,
    Decider,
    Judged,
    failed,
    note_failure,
)
from ledger_verify.gate.heard import keep_out
from ledger_verify.gate.outcome import Effect, effect_of, unbound
from ledger_verify.gate.pending import Pending, PendingCalls
from ledger_verify.gate.plain import plain_name
from ledger_verify.gate.told import Told
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.ledger.attempts import frozen
from ledger_verify.ledger.history import UNCHECKED
from ledger_verify.ledger.misfits import Drift
from ledger_verify.ledger.newcomers import changes_records
from ledger_verify.ledger.observe import Observer
from ledger_verify.ledger.outcomes import Answer, Outcome
from ledger_verify.ledger.overtaken import Part, overtake
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Unknown, unknown_call
from ledger_verify.policy.session_facts import NO_FACTS, Facts
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.schema.coerce import Misfit


class Session(Told):
    """One conversation: what was observed, and verdicts on what is proposed.

    An ALLOW takes effect at once: from then on the call may have happened, until `observe` or
    `interrupted` tells what became of it.
    """

    def __init__(
        self,
        domain: Domain,
        decider: Decider,
        observer: Observer,
        clock: Clock,
        facts: Facts = NO_FACTS,
    ) -> None:
        super().__init__(domain, decider, observer, facts)
        self._time = SessionTime(clock)
        self._pending = PendingCalls()
        self._unsound = False

    @property
    def settings(self) -> dict[str, Any]:
        """What the session was opened with, but for its clock: the names of `Gate.session`."""
        tools = self._decider.tools
        return {
            "tools": None if tools is None else sorted(tools),
            "asks": self._decider.asks,
            "facts": dict(self.facts) or None,
        }

    @contextmanager
    def at(self, moment_us: int | None) -> Iterator[None]:
        """What is told inside happened at that time, not now; with None nobody knows when.

        Microseconds since 1970. It changes nothing where the domain, or the session, has a fixed
        present.
        """
        with self._lock, self._time.at(moment_us):
            yield

    def save(self) -> dict[str, Any]:
        """All that the session knows, as JSON for `Gate.resume`; the clock is not part of it."""
        from ledger_verify.gate.saving import saved

        with self._lock:
            return saved(self)

    def check(self, tool: str, arguments: Any) -> Verdict:
        """The verdict on a proposed call; never raises.

        An ALLOW means that the call is made now: what it touches is stale, and rules over earlier
        calls hold only if they do so whether or not it happened. `dry_run` only asks.
        """
        with self._lock:
            new = Pending()
            try:
                self._restore()
                judged = self._decider.decide(self.ledger, tool, arguments, self._time.present)
                if judged.bound is not None:
                    self._take_effect(judged, new)
                return judged.verdict
            except BaseException as problem:
                self._undo(new)
                if not isinstance(problem, Exception):
                    raise
                return failed(tool, problem)

    def dry_run(self, tool: str, arguments: Any) -> Verdict:
        """What `check` would say of a call that nobody makes; nothing changes. Never raises."""
        with self._lock:
            try:
                self._restore()
                return self._decider.decide(
                    self.ledger, tool, arguments, self._time.present
                ).verdict
            except Exception as problem:
                return failed(tool, problem)

    def check_message(self, calls: Sequence[tuple[str, Any]]) -> list[Verdict]:
        """Verdicts on the calls of one message, each by `check` and in order; never raises.

        Whether an allowed call succeeds is open for the calls behind it.
        """
        with self._lock:
            verdicts: list[Verdict] = []
            for call in calls:
                name, arguments = call if isinstance(call, tuple) and len(call) == 2 else ("", call)
                verdicts.append(self.check(name, arguments))
            return verdicts

    def _take_effect(self, judged: Judged, new: Pending) -> None:
        """A judged call is remembered; an allowed one is pending from now on."""
        verdict, bound, now_us = judged
        allowed = verdict.decision is Decision.ALLOW
        tool = self.domain.tools[verdict.tool]
        remembered = tool.name in self.domain.remembered
        if allowed and tool.observes:
            self.ledger.underway.propose(frozen(tool.name, bound or {}))
        if not remembered and not (allowed and changes_records(tool)):
            return
        assert bound is not None
        new.tool, new.arguments = tool.name, bound
        if remembered:
            ok = unknown_call(tool.name, awaited=True) if allowed else False
            when = self._time.of_call(now_us)
            new.call = self._remember(tool, bound, verdict.decision.value, when, ok)
        if allowed:
            new.marks = self._observer.marks(self.ledger, tool, bound)
            new.newcomers = self._observer.newcomers(self.ledger, tool, bound)
            self.ledger.hold(new.marks, new.newcomers)
            self._pending.add(new)

    def _undo(self, new: Pending) -> None:
        """A call that was half allowed is refused."""
        self._unsound = True
        self._pending.drop(new)
        self.ledger.release(new.marks, new.newcomers)
        if new.call is not None:
            self.ledger.history.refuse(new.call)
        self._unsound = False

    def _remember(
        self, tool: Tool, bound: Any, verdict: str, now_us: int | None, ok: bool | Unknown
    ) -> dict[str, Any]:
        """Add a call to the history, for the rules that read it."""
        gone = unknown_call(tool.name, awaited=False)
        args, time_us = gone if bound is None else bound, gone if now_us is None else now_us
        return self.ledger.history.add(tool.name, args, verdict, time_us, ok=ok)

    def expect(self, tool: str, arguments: Any) -> None:
        """Take note that a read is about to run that is not judged; never raises.

        `check` does it of itself. What is changed before the read is observed is stale after it.
        """
        with self._lock, suppress(Exception):
            gate = self._decider.gates[tool]
            if gate.tool.kind is ToolKind.READ:
                self.ledger.underway.propose(frozen(tool, gate.bind(arguments)))

    def observe(
        self, tool: str, arguments: Any, result: Any = None, *,
        error: bool | None = None, flagged: bool | None = None, heard: int | None = None,
    ) -> list[Drift]:  # fmt: skip
        """Take note of a tool call that was run and what it returned; never raises.

        `result` is JSON, or the text that the tool returned. `error` says outright whether the call
        failed; without it the result tells, or that nobody knows (see `ledger.outcomes`), beside
        `flagged`, what a flag of the message's format says. A call that failed is known not to have
        happened: what was stale only because it might have happened is fresh again. A read
        fills the ledger, a write makes what it touches stale, a tool that the domain does not know
        makes everything stale. `heard` is how many messages of the user there were when the call
        was made, all so far if it is not given: what only the user can give must be in them, or
        the read shows nothing that counts. Returns what was kept out of the ledger, such as parts
        that did not fit the schema.
        """
        of = self._observer.outcomes.of

        def tells(known: Tool | None, bound: Any) -> Answer:
            return of(known, bound, result, told=error, flagged=flagged)

        return self._end(tool, arguments, tells, heard)

    def interrupted(self, tool: str, arguments: Any) -> None:
        """Take note of a call of which nobody will know whether it ran; never raises.

        It may have timed out, for instance. What it may have touched is stale, nothing is
        observed. Rules that read its history hold only if they do so whether or not it ran. An
        outcome that `observe` tells later is that of the oldest such call of equal arguments, if no
        equal call is pending.
        """
        self._end(tool, arguments, lambda *call: Answer(Outcome.UNKNOWN, None))

    def outcome_of(
        self, tool: str, arguments: Any, result: Any, *, flagged: bool | None = None
    ) -> Outcome:
        """What `observe` would take a call for that was answered so; nothing changes."""
        known = self.domain.tools.get(tool)
        bound = None if known is None else self._bound(known, arguments)
        typed = None if isinstance(bound, Misfit) else bound
        return self._observer.outcomes.of(known, typed, result, flagged=flagged).outcome

    def _end(
        self, name: str, arguments: Any, answer: Callable[[Tool | None, Any], Answer],
        heard: int | None = None,
    ) -> list[Drift]:  # fmt: skip
        """A call has come to its end; `answer` tells which, by the tool and typed arguments."""
        with self._lock:
            ended = Pending()
            try:
                self._restore()
                known = self.domain.tools.get(name) if isinstance(name, str) else None
                if known is not None:
                    return self._ended(ended, known, arguments, answer, heard)
                if answer(None, None).outcome is not Outcome.FAILED:
                    self.ledger.touch_all()
                return []
            except BaseException as problem:
                # half of it may have been observed: nothing counts until it is read again
                self._lose(name, ended)
                if not isinstance(problem, Exception):
                    raise
                told = plain_name(name)
                note_failure("the gate failed to observe a call of `%s`", told)
                return [Drift(told, "*", f"internal error: {type(problem).__name__}")]

    def _ended(
        self, ended: Pending, tool: Tool, arguments: Any,
        tells: Callable[[Tool | None, Any], Answer], heard: int | None,
    ) -> list[Drift]:  # fmt: skip
        """A call has come to its end. `ended` becomes what was pending of it."""
        bound: Any = self._bound(tool, arguments)
        misfit, bound = (bound, None) if isinstance(bound, Misfit) else (None, bound)
        answer = tells(tool, bound)
        doubtful = misfit is None and self._pending.take(tool.name, bound, ended)
        was_pending = ended.arguments is not None
        if misfit is None and not was_pending and answer.outcome is not Outcome.UNKNOWN:
            self._pending.late(tool.name, bound, ended)
        if tool.name in self.domain.remembered and (
            misfit is None or answer.outcome is not Outcome.FAILED
        ):
            # whether it happened is not known before all of this is done
            unknown = unknown_call(tool.name, awaited=False)
            if ended.call is None:
                ended.call = self._remember(tool, bound, UNCHECKED, self._time.moment(), unknown)
            else:
                self.ledger.history.settle(ended.call, unknown)
        effect = effect_of(tool, answer)
        if doubtful and effect.nothing:
            # one of two equal calls did not happen: this one or the one that was interrupted
            nothing = tool.kind is ToolKind.READ
            effect = Effect(ok=unknown_call(tool.name, awaited=False), nothing=nothing)
        before: Sequence[Part] = ()
        if bound is not None and tool.observes:
            before = self.ledger.underway.end(frozen(tool.name, bound))
        self.ledger.release(ended.marks, ended.newcomers)
        drifts = list(effect.drifts)
        returned = answer.outcome is Outcome.SUCCEEDED
        if misfit is not None:
            drifts += [] if effect.nothing else unbound(self.ledger, tool, misfit)
        elif tool.kind is ToolKind.READ and (effect.nothing or not returned):
            answered = answer.outcome is not Outcome.UNKNOWN
            self._observer.failed(self.ledger, tool, bound, answer.content, heard=answered)
        elif tool.kind is ToolKind.READ:
            drifts += self._read(tool, bound, answer.content, heard)
        elif tool.kind is ToolKind.WRITE and effect.ok is True and tool.observes:
            told = effect.groups, ended.marks
            drifts += self._observer.wrote(self.ledger, tool, bound, answer.content, *told)
        elif tool.kind is ToolKind.WRITE and not effect.nothing:
            self._observer.write(self.ledger, tool, bound, effect.groups, ended.marks)
        overtake(self.ledger, before)
        if ended.call is not None:
            self.ledger.history.settle(ended.call, effect.ok)
        if was_pending and isinstance(effect.ok, Unknown):
            self._pending.lose(ended)
        return drifts

    def _read(self, tool: Tool, bound: Any, result: Any, heard: int | None) -> list[Drift]:
        before = replace(self.ledger, heard=self.ledger.heard[:heard])
        unsaid = self._decider.unsaid(tool, bound, before)
        if unsaid:
            return keep_out(self.ledger, tool, bound, unsaid)
        return self._observer.read(self.ledger, tool, bound, result)

    def _lose(self, name: Any, ended: Pending) -> None:
        """Nobody knows what became of a call: nothing counts that it may have changed."""
        self._unsound = True
        self.ledger.touch_all()
        self.ledger.release(ended.marks, ended.newcomers)
        known = self.domain.tools.get(name) if isinstance(name, str) else None
        if known is not None and known.name in self.domain.remembered and ended.call is None:
            self._remember(known, None, UNCHECKED, None, unknown_call(known.name, awaited=False))
        self._unsound = False

    def _restore(self) -> None:
        """If taking note of a failure failed in turn, nothing at all is known any more."""
        if self._unsound:
            self.ledger.touch_all()
            for tool in self.domain.remembered:
                self.ledger.history.lose(tool)
            self._unsound = False
