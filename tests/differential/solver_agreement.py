"""What the solver owes the interpreter on one case; a check gives what it found wrong, or None."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ledger_verify.evaluate.kleene import Truth, evaluate, truth
from ledger_verify.ledger.parts import Keys
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Evidence, MissingPath, Reach, Unknown
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.solver.completions import SCOPE, Completions, Settled
from ledger_verify.solver.logic import Bool, as_term, conjoin, implies, negate
from ledger_verify.solver.outcome import Undecided
from ledger_verify.solver.query import Limits, Query
from ledger_verify.solver.situation import Situation
from ledger_verify.solver.worlds import LedgerWorld, symbols_for
from tests.differential.agreement import Check
from tests.differential.strategies import (
    ARGUMENTS,
    DAYS,
    ORDER_IDS,
    PATTERNS,
    SESSION,
    SKUS,
    ZONE_NAME,
    Case,
    full_ledger,
    partial_ledger,
)
from tests.differential.worlds import Spliced, WholeWorld, completions
from tests.solver.pinning import pin

LIMITS = Limits(timeout_ms=2_000, resources=3_000_000)
_EXPECTED = {Truth.TRUE: Settled.TRUE, Truth.FALSE: Settled.FALSE, Truth.ERROR: Settled.FALSE}
CANDIDATES: Mapping[str, tuple[Keys, ...]] = {
    "user": ((),),
    "orders.*": tuple((key,) for key in (*ORDER_IDS, *SKUS, "", "a", "ab", "b", "gold", "open")),
    "stock.*.*": tuple((sku, day) for sku in (*SKUS, "o1", "") for day in (*DAYS, 0, 3, 10, -1)),
}
tally: Counter[str] = Counter()
"""How often the solver reached a limit, or left open what may or may not be open."""


def _tool(name: str) -> Tool:
    return Tool(name, ToolKind.WRITE, ARGUMENTS)


DOMAIN = Domain(
    name="small", timezone=ZONE_NAME, clock_us=None, default="block",
    tools={name: _tool(name) for name in ("refund", "cancel")}, ledger=PATTERNS, rules=(),
    assumptions=(), invariants=(), revision="", session=SESSION,
)  # fmt: skip


def situation(case: Case, ledger: Ledger) -> Situation:
    """The case as a proposed call."""
    return Situation(
        DOMAIN, DOMAIN.tools[case.tool], ledger, case.names["args"], case.now_us, LIMITS
    )


def settled(case: Case, ledger: Ledger) -> Settled | None:
    """What the solver makes of the predicate, or None at a limit."""
    try:
        (answer,) = Completions(situation(case, ledger), [case.expr]).settle()
    except Undecided:
        tally["undecided"] += 1
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
    if found is None:
        return None
    answers = [truth(case.expr, case.scope(completion)) for completion in completions(case)]
    held = {answer is Truth.TRUE for answer in answers}
    if found is Settled.OPEN:
        tally["open" if len(held) == 2 else "open, but alike in all completions tried"] += 1
    elif held != {found is Settled.TRUE}:
        return f"{found.name} to the solver, but {answers} in completions"
    return None


def completions_are_models(case: Case) -> str | None:
    """Every completion is a model of the encoding, with the truth that the interpreter gives it."""
    ledger = partial_ledger(case)
    for completion in completions(case, 1):
        found = _missing_model(case, ledger, completion, free=())
        if found:
            return f"partial ledger: {found}"
    return None


def worlds_are_models(case: Case) -> str | None:
    """The same where nothing is observed, and arguments and session facts are symbols."""
    nothing = Ledger(PATTERNS, facts=case.facts)
    free = tuple(ARGUMENTS.by_name)
    for completion in (WholeWorld(case, ordinary=True), WholeWorld(case, ordinary=False)):
        found = _missing_model(case, nothing, completion, free=free)
        if found:
            return f"symbolic world: {found}"
    return None


def _missing_model(
    case: Case, ledger: Ledger, completion: Evidence, free: tuple[str, ...]
) -> str | None:
    """None if the completion is a model of the encoding with the right truth."""
    answer = truth(case.expr, case.scope(completion))
    for wanted, possible in model_answers(case, ledger, completion, free).items():
        if possible is None:
            tally["undecided"] += 1
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
    assert isinstance(world.names, dict)
    if free:
        world.names["session"] = symbols.make(SESSION, "session")
    holds = world.encoder.holds(case.expr)
    pins = conjoin(
        [
            *_pins(world, completion),
            pin(symbols, world.names["session"], completion.facts, SESSION),
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
        for keys in CANDIDATES[instance.pattern]:
            here = conjoin(
                as_term(term == symbols.literal(key, type_))
                for term, key, type_ in zip(terms, keys, spec.keys, strict=True)
            )
            value = completion.lookup(instance.pattern, keys)
            conditions.append(implies(here, pin(symbols, instance.record, value, spec.record)))
    return conditions


def what_can_change_the_answer_matters(case: Case) -> str | None:
    """A record by which alone two completions differ that disagree is one to be read."""
    ledger = partial_ledger(case)
    value = evaluate(case.expr, case.scope(ledger))
    if not isinstance(value, Unknown):
        return None
    made = Completions(situation(case, ledger), [case.expr])
    several = completions(case)
    held = [truth(case.expr, case.scope(one)) is Truth.TRUE for one in several]
    for path in sorted(value.missing, key=str):
        place = (path.pattern, path.keys)
        changed = any(
            (truth(case.expr, case.scope(Spliced(other, one, {place})))
             is Truth.TRUE) is not before
            for one, before in zip(several, held, strict=True) for other in several
        )  # fmt: skip
        if changed and path.determined and not _matters(made, path):
            return f"{path} is said not to matter"
    return None


def _matters(made: Completions, path: MissingPath) -> bool:
    try:
        return made.matters([0], path, [0])
    except Undecided:
        tally["undecided"] += 1
        return True


def what_reads_bring_about_is_reachable(case: Case) -> str | None:
    """Where reads of some patterns make the predicate TRUE, the solver says that they may."""
    ledger = partial_ledger(case)
    for readable in ({"user"}, {"orders.*"}, {"user", "orders.*"}, {"stock.*.*", "user"}):
        held = [
            truth(case.expr, case.scope(Spliced(one, ledger, readable)))
            for one in completions(case, 2)
        ]  # fmt: skip
        if Truth.TRUE not in held:
            continue
        made = Completions(situation(case, ledger), [case.expr])
        try:
            if not made.reachable([0], Reach(frozenset(readable))):
                return f"reads of {sorted(readable)} are said to lead nowhere"
        except Undecided:
            tally["undecided"] += 1
    return None


SOLVER_CHECKS: Mapping[str, Check] = {
    "solver settles what is known": settles_what_is_known,
    "settled holds in completions": settled_holds_in_completions,
    "completions are models": completions_are_models,
    "symbolic worlds are models": worlds_are_models,
    "what can change the answer matters": what_can_change_the_answer_matters,
    "what reads bring about is reachable": what_reads_bring_about_is_reachable,
}
