"""What the solver owes the interpreter on one case; a check gives what it found wrong, or None."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from ledger_verify.evaluate.kleene import Truth, truth
from ledger_verify.ledger.store import Keys, Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Evidence, NoEvidence
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.solver.completions import SCOPE, Completions, Settled, Situation
from ledger_verify.solver.logic import Bool, as_term, conjoin, implies, negate
from ledger_verify.solver.query import Limits, Query, Undecided
from ledger_verify.solver.worlds import LedgerWorld, symbols_for
from tests.differential.agreement import Check
from tests.differential.strategies import (
    ARGUMENTS,
    DAYS,
    ORDER_IDS,
    PATTERNS,
    SKUS,
    ZONE_NAME,
    Case,
    Completion,
    full_ledger,
    partial_ledger,
)
from tests.differential.values import ZONE
from tests.differential.wild import wild
from tests.solver.pinning import pin

COMPLETIONS = 3
LIMITS = Limits(timeout_ms=2_000, resources=3_000_000)
_EXPECTED = {Truth.TRUE: Settled.TRUE, Truth.FALSE: Settled.FALSE, Truth.ERROR: Settled.FALSE}
_CANDIDATES: Mapping[str, tuple[Keys, ...]] = {
    "user": ((),),
    "orders.*": tuple((key,) for key in (*ORDER_IDS, *SKUS, "", "a", "ab", "b", "gold", "open")),
    "stock.*.*": tuple((sku, day) for sku in (*SKUS, "o1", "") for day in (*DAYS, 0, 3, 10, -1)),
}
undecided = 0


def _tool(name: str) -> Tool:
    return Tool(name, ToolKind.WRITE, ARGUMENTS)


DOMAIN = Domain(
    name="small", timezone=ZONE_NAME, clock_us=None, default="block",
    tools={name: _tool(name) for name in ("refund", "cancel")}, ledger=PATTERNS, rules=(),
    assumptions=(), invariants=(), revision="",
)  # fmt: skip


class WildCompletion(Completion):
    """A completion in which the gaps turn out as the schema allows, however unusual."""

    def lookup(self, pattern: str, keys: Keys) -> Any:
        """The record that the completion has there."""
        if (pattern, keys) not in self._records:
            random = Random(f"{self._seed} {pattern} {keys}")
            drawn = wild(random, PATTERNS[pattern].record, ZONE)
            self._records[pattern, keys] = self._merged(pattern, keys, drawn)
        return self._records[pattern, keys]

    def _merged(self, pattern: str, keys: Keys, drawn: Any) -> Any:
        known = self._case.records.get((pattern, keys))
        if known is None or (pattern, keys) in self._case.unobserved:
            return drawn
        for stale_pattern, stale_keys, within in self._case.stale:
            if (stale_pattern, stale_keys) == (pattern, keys):
                known = with_part(known, drawn, within)
        return known


def with_part(known: Any, drawn: Any, within: tuple[str, ...]) -> Any:
    """`known` with the part at `within` as it is in `drawn`, at its old place; absent if absent."""
    if not within:
        return drawn
    step, rest = within[0], within[1:]
    if rest:
        return (
            {**known, step: with_part(known[step], drawn[step], rest)} if step in known else known
        )
    if step in drawn:
        return {**known, step: drawn[step]}
    return {key: value for key, value in known.items() if key != step}


def situation(case: Case, ledger: Ledger) -> Situation:
    """The case as a proposed call."""
    return Situation(
        DOMAIN, DOMAIN.tools[case.tool], ledger, case.names["args"], case.now_us, LIMITS
    )


def settled(case: Case, ledger: Ledger) -> Settled | None:
    """What the solver makes of the predicate, or None at a limit."""
    global undecided
    try:
        (answer,) = Completions(situation(case, ledger), [case.expr]).settle()
    except Undecided:
        undecided += 1
        return None
    return answer


def settles_what_is_known(case: Case) -> str | None:
    """An answer of the interpreter other than UNKNOWN is the solver's, with gaps and without."""
    for name, ledger in (("full", full_ledger(case)), ("partial", partial_ledger(case))):
        answer = truth(case.expr, case.scope(ledger))
        if answer is Truth.UNKNOWN:
            continue
        found = settled(case, ledger)
        if found is not None and found is not _EXPECTED[answer]:
            return f"{answer.name} to the interpreter, {found.name} to the solver ({name} ledger)"
    return None


def settled_holds_in_completions(case: Case) -> str | None:
    """What the solver settles on a ledger with gaps is so in each completion."""
    ledger = partial_ledger(case)
    found = settled(case, ledger)
    if found is None or found is Settled.OPEN:
        return None
    for completion in completions(case):
        answer = truth(case.expr, case.scope(completion))
        if (answer is Truth.TRUE) is not (found is Settled.TRUE):
            return f"{found.name} to the solver, {answer.name} in a completion"
    return None


def completions(case: Case, count: int = COMPLETIONS) -> list[Completion]:
    """Some ordinary and some wild ones."""
    return [
        *(Completion(case, seed) for seed in range(count)),
        *(WildCompletion(case, seed) for seed in range(count)),
    ]


def completions_are_models(case: Case) -> str | None:
    """Every completion is a model of the encoding, with the truth that the interpreter gives it."""
    ledger = partial_ledger(case)
    for completion in completions(case, 1):
        found = _missing_model(case, ledger, completion, free=())
        if found:
            return f"partial ledger: {found}"
    return None


def worlds_are_models(case: Case) -> str | None:
    """The same where nothing is observed and the arguments are symbols, too."""
    nothing = Ledger(PATTERNS)
    free = tuple(ARGUMENTS.by_name)
    for completion in (_World(case, ordinary=True), _World(case, ordinary=False)):
        found = _missing_model(case, nothing, completion, free=free)
        if found:
            return f"symbolic world: {found}"
    return None


class _World(NoEvidence):
    """A whole world, of which nothing counts as observed."""

    def __init__(self, case: Case, *, ordinary: bool) -> None:
        self._case, self._ordinary = case, ordinary
        self._wild = WildCompletion(case, 0)

    def lookup(self, pattern: str, keys: Keys) -> Any:
        known = self._case.records.get((pattern, keys))
        return known if self._ordinary and known is not None else self._wild.lookup(pattern, keys)

    def observed(self, pattern: str, keys: Keys, field: str | None) -> bool:
        return False


def _missing_model(
    case: Case, ledger: Ledger, completion: Evidence, free: tuple[str, ...]
) -> str | None:
    """None if the completion is a model of the encoding with the right truth."""
    global undecided
    answer = truth(case.expr, case.scope(completion))
    for wanted, possible in model_answers(case, ledger, completion, free).items():
        if possible is None:
            undecided += 1
        elif not possible and (answer is Truth.TRUE) is wanted:
            return f"a completion in which it is {answer.name} is none to the solver"
    return None


def model_answers(
    case: Case, ledger: Ledger, completion: Evidence, free: tuple[str, ...]
) -> dict[bool, bool | None]:
    """Whether the predicate may hold, and may not hold, once all is pinned to the completion."""
    symbols = symbols_for(DOMAIN, [case.expr], SCOPE)
    symbols.drawing = bool(free)  # as proofs do before deployment
    world = situation(case, ledger).world(symbols, free=free)
    holds = world.encoder.holds(case.expr)
    pins = conjoin(
        [
            *_pins(world, completion),
            pin(symbols, world.names["args"], case.names["args"], ARGUMENTS),
        ]
    )
    query = Query(symbols, LIMITS)
    answers: dict[bool, bool | None] = {}
    for wanted in (True, False):
        try:
            answers[wanted] = query.possible([pins, holds if wanted else negate(holds)])
        except Undecided:
            answers[wanted] = None
    return answers


def _pins(world: LedgerWorld, completion: Evidence) -> list[Bool]:
    symbols = world.symbols
    conditions: list[Bool] = []
    for instance in list(world.instances.values()):
        spec = world.domain.ledger[instance.pattern]
        terms = [symbols.term(k, t) for k, t in zip(instance.keys, spec.keys, strict=True)]
        for keys in _CANDIDATES[instance.pattern]:
            here = conjoin(
                as_term(term == symbols.literal(key, type_))
                for term, key, type_ in zip(terms, keys, spec.keys, strict=True)
            )
            value = completion.lookup(instance.pattern, keys)
            conditions.append(implies(here, pin(symbols, instance.record, value, spec.record)))
    return conditions


SOLVER_CHECKS: Mapping[str, Check] = {
    "solver settles what is known": settles_what_is_known,
    "settled holds in completions": settled_holds_in_completions,
    "completions are models": completions_are_models,
    "symbolic worlds are models": worlds_are_models,
}
