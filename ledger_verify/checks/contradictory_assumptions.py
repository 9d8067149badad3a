"""The assumptions contradict each other, or the schema, so that no record can meet them.

Whatever the solver is asked then counts as impossible: every invariant would be proved, every rule
would seem to forbid nothing. So nothing else that checks ask the solver counts until this is
mended, `prove` refuses to run, and this is told even where the check was not chosen. State only
what is true of your data; `check --data` tells.

Faulty:

    assumptions:
      - ledger.orders.all(o, o.status == "open" || o.total > 100)
      - ledger.orders.all(o, o.status == "sent" && o.total < 50)

Right:

    assumptions:
      - ledger.orders.all(o, o.status == "open" || o.total > 100)
      - ledger.orders.all(o, o.status != "sent" || o.total > 50)

Claim of the solver: unsatisfiable iff no ledger with one record of each path that the assumptions
speak of meets all of them, for lists of any length. The assumptions that are named are a smallest
set: without any one of them the rest can be met.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ledger_verify.checks.base.finding import About, Claim, Finding
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import UNDECIDED, asked_by, file_finding
from ledger_verify.lang.environment import LedgerPattern
from ledger_verify.lang.rewrite import with_variables
from ledger_verify.lang.typed import Expr, FieldOf, Read, Variable
from ledger_verify.lang.types import FieldType, RecordType
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import assumption_region
from ledger_verify.policy.rules import Assumption
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.solver.asking import Asking
from ledger_verify.solver.outcome import Outcome, Ruling
from ledger_verify.solver.question import Question
from ledger_verify.solver.reach import TIME_OR_LISTS

ABOUT = About("LV601", "contradictory_assumptions", "error")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for all assumptions together."""
    domain = bench.domain
    if domain.assumptions and domain.tools:
        yield Job("assumptions", next(iter(domain.tools)), partial(_look, bench))


def _look(bench: Bench) -> Iterator[Claim]:
    domain = bench.domain
    core = contradiction(domain, bench.assuming(()).solver)
    if core is None:
        message = "could not tell whether the assumptions can be met"
        place = assumption_region(domain.sources["policy"], domain.assumptions[0].location)
        found = Finding(
            UNDECIDED, ABOUT.name, "undecided", message, (), place.start, place.end,
            fix=TIME_OR_LISTS, notes=(asked_by(ABOUT),),
        )  # fmt: skip
        yield Claim(found, undecided=True)
    elif core:
        yield _finding(domain, core)
    else:
        yield Claim()


def contradiction(domain: Domain, solver: Asking) -> tuple[Assumption, ...] | None:
    """A set of assumptions that cannot be met; none if all can, None if that is open.

    It is a smallest one unless the solver's time ran out. The solver's domain must be the same
    without assumptions.
    """
    named = {str(i): assumption for i, assumption in enumerate(domain.assumptions)}
    bodies = [(name, _of_one_record(a, domain)) for name, a in named.items()]
    tool = Tool("", ToolKind.NEUTRAL, _keys_of(domain))
    question = Question(tool, true=tuple(body for _, body in bodies))
    if solver.search_within_bound(question).outcome is Outcome.FOUND:
        return ()
    if solver.impossible(question) is not Ruling.PROVED:
        return None
    return tuple(named[name] for name in solver.core(tool, bodies).names)


def described(core: Sequence[Assumption]) -> str:
    """What is wrong with assumptions that contradict each other."""
    listed = ", ".join(f"`{' '.join(assumption.text.split())}`" for assumption in core)
    if len(core) == 1:
        return f"no record can meet the assumption {listed}"
    return f"no record can meet the assumptions {listed} together"


def _finding(domain: Domain, core: Sequence[Assumption]) -> Claim:
    place = assumption_region(domain.sources["policy"], core[-1].location)
    return file_finding(
        ABOUT,
        f"{described(core)}, so nothing that the solver says counts",
        place.start,
        end=place.end,
        fix="state only what is true of your data; `check --data FILE` compares",
        notes=[f"assumption at {assumption.location}" for assumption in core[:-1]],
    )


def _of_one_record(assumption: Assumption, domain: Domain) -> Expr:
    """What an assumption says of one record, whose keys are arguments."""
    if assumption.variable is None or assumption.pattern is None:
        return assumption.body
    spec = domain.ledger[assumption.pattern]
    keys = RecordType("keys", tuple(_fields(spec)))
    read = Read(spec.text, tuple(_key(name, keys) for name, _ in keys.fields), spec.record)
    return with_variables(assumption.body, {assumption.variable.name: read})


def _key(name: str, keys: RecordType) -> Expr:
    return FieldOf(Variable("args", keys), name, keys.by_name[name].type)


def _keys_of(domain: Domain) -> RecordType:
    fields = tuple(field for spec in domain.ledger.values() for field in _fields(spec))
    return RecordType("keys", fields)


def _fields(spec: LedgerPattern) -> Iterator[tuple[str, FieldType]]:
    for index, type_ in enumerate(spec.keys):
        yield f"{spec.text} {index}", FieldType(type_)
