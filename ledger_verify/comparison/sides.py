"""The two sides of a comparison: a case through the gate of each, as each of them sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ledger_verify.comparison.asked import asked
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate.cases import keeps_assumptions, same_answer, smallest
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.plain import plain_arguments
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import unknown_call
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.schema.coerce import Misfit, coercer


@dataclass(frozen=True)
class Seen:
    """A case as one side has it; `misfits` are the parts that its schema keeps out.

    `session` is None where the side would not open one: with a fact that it needs and lacks, or
    that does not fit.
    """

    session: Session | None
    misfits: tuple[str, ...]


@dataclass(frozen=True)
class Side:
    """One side: `label` is what it is called, `OLD` or `NEW`."""

    label: str
    domain: Domain
    gate: Gate = field(repr=False)

    @classmethod
    def of(cls, label: str, domain: Domain) -> Side:
        """The side with its gate prepared."""
        return cls(label, domain, Gate(domain, explain_ms=None))

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, None if this side has none."""
        return self.domain.tools.get(name)

    def rules(self, name: str) -> tuple[Rule, ...]:
        """The rules for calls of the tool, and that the user said what it asks for."""
        tool = self.tool(name)
        return () if tool is None else (*self._own(name), *asked(self.domain, name))

    def _own(self, name: str) -> tuple[Rule, ...]:
        return tuple(self.domain.rules_by_tool.get(name, ()))

    def refuses_all(self, name: str) -> str | None:
        """Why no call of the tool can be allowed, whatever the rules say; None if some may be."""
        tool = self.tool(name)
        if tool is None:
            return f"{self.label} has no such tool"
        if tool.by_user:
            return f"{self.label} leaves the tool to the person"
        if tool.kind is ToolKind.WRITE and not self._own(name):
            return f"{self.label} has no rule for it"
        return None

    def moment_us(self, case: Case) -> int:
        """The present in which this side judges the case: its pinned one, else the case's."""
        return case.now_us if self.domain.clock_us is None else self.domain.clock_us

    def see(self, case: Case) -> Seen:
        """The case in a session: what does not fit is kept out, as when it is observed.

        It is opened with those of the facts that this side declares.
        """
        declared = self.domain.session
        facts = {k: v for k, v in case.facts.items() if declared and k in declared.by_name}
        try:
            session = self.gate.session(clock_us=self.moment_us(case), facts=facts)
        except InputError as problem:
            return Seen(None, (problem.message,))
        misfits = []
        for path, record in case.ledger.items():
            try:
                session.record(path, record)
            except InputError as problem:
                misfits.append(problem.message)
        for path in case.stale:
            try:
                session.mark_stale(path)
            except InputError:
                continue  # the record was kept out, or has no such part here
        for path in case.absent:
            try:
                session.record_absent(path)
            except InputError as problem:
                misfits.append(problem.message)
        for call in case.history:
            if call.tool not in self.domain.tools:
                continue
            try:
                session.recall(call)
            except InputError as problem:
                misfits.append(problem.message)
                if call.ok:
                    gone = unknown_call(call.tool, awaited=False)
                    history = session.ledger.history
                    history.add(call.tool, gone, call.verdict, call.time_us, ok=True)
        for text in case.heard:
            session.heard(text)
        return Seen(session, tuple(misfits))

    def verdict(self, case: Case) -> Verdict:
        """The gate's verdict on the case."""
        seen = self.see(case)
        if seen.session is None:
            arguments = plain_arguments(case.arguments)
            told = f"no session is open, so no call is allowed: {seen.misfits[0]}"
            return Verdict(Decision.BLOCK, case.tool, arguments, told, decided_by="schema")
        return seen.session.dry_run(case.tool, case.arguments)

    def stand(self, case: Case) -> tuple[Truth, ...] | None:
        """The truth of each rule as the interpreter has it.

        None if the arguments, or the facts of the session, do not fit.
        """
        tool = self.tool(case.tool)
        if tool is None:
            return ()
        try:
            arguments = coercer(tool.arguments, self.domain.zone)(case.arguments)
        except Misfit:
            return None
        names = {"args": arguments, "now": self.moment_us(case), "call": {"tool": tool.name}}
        session = self.see(case).session
        if session is None:
            return None
        scope = Scope(session.ledger, names)
        return tuple(truth(rule.holds, scope) for rule in self.rules(case.tool))

    def keeps_assumptions(self, case: Case) -> bool:
        """Whether what was observed breaks none of this side's assumptions."""
        session = self.see(case).session
        return session is None or keeps_assumptions(self.domain, session.ledger)


@dataclass(frozen=True)
class Pair:
    """A direction of the comparison: calls that `allowing` allows and `other` does not."""

    allowing: Side
    other: Side

    @cached_property
    def by_label(self) -> Mapping[str, Side]:
        """The sides by what they are called."""
        return {side.label: side for side in (self.allowing, self.other)}

    def differs(self, case: Case) -> bool:
        """Whether the case is one: the first gate allows it, the second does not, and not for want
        of time.
        """
        if not self.allowing.verdict(case).allowed:
            return False
        refusal = self.other.verdict(case)
        return not refusal.allowed and refusal.decided_by != "error"

    def prune(self, case: Case) -> Case:
        """The case without the parts on which neither verdict depends."""
        kept = self._assumed(case)

        def truths(c: Case) -> tuple[tuple[Truth, ...] | None, ...] | None:
            if any(was and not now for was, now in zip(kept, self._assumed(c), strict=True)):
                return None
            return self.allowing.stand(c), self.other.stand(c)

        verdict, standing = self.other.verdict(case), truths(case)

        def same(c: Case) -> bool:
            return (
                truths(c) is not None
                and self.allowing.verdict(c).allowed
                and same_answer(self.other.verdict(c), verdict)
                and self.other.verdict(c).decided_by == verdict.decided_by
            )

        # the rules alone are judged much faster; the verdicts tell whether that was enough
        smaller = smallest(case, lambda c: truths(c) == standing)
        return smaller if same(smaller) else smallest(case, same)

    def _assumed(self, case: Case) -> tuple[bool, bool]:
        return self.allowing.keeps_assumptions(case), self.other.keeps_assumptions(case)
