"""What `prove`, `check`, `diff` and `generate` say of a policy, each confirmed where it can be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.running.run import run_checks
from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change
from ledger_verify.comparison.search import Effort
from ledger_verify.comparison.sides import Pair, Side
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import replay_case, truths_in
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.sequences import replay_sequence
from ledger_verify.generate.cases import Skipped, generate
from ledger_verify.generate.scenario import load_scenarios, run_scenario, write_scenarios
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.rules import Always, Invariant
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.proofs.sequences import prove_sequences
from ledger_verify.solver.query import Limits
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import StaticSolver
from tests.worlds.policies import Policy

LONGEST = 2
LIMITS = Limits(timeout_ms=5_000, resources=6_000_000)
SETTINGS = Settings(timeout_ms=LIMITS.timeout_ms, resources=LIMITS.resources)


@dataclass
class Claims:
    """What is said to be so of every walk.

    `never` is broken by no allowed call, and those in `anyway` by no proposed one; `always` is
    true after every call. Calls of `dead` tools are never allowed, rules in `vacuous` never
    broken, those in `redundant` (rule, and what implies it) never alone. `looser` and `stricter`
    are tools of which the edited policy allows no call more, or refuses none more.
    """

    never: list[Invariant] = field(default_factory=list)
    anyway: list[Invariant] = field(default_factory=list)
    always: list[Always] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)
    vacuous: set[tuple[str, str]] = field(default_factory=set)
    redundant: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    no_more: set[str] = field(default_factory=set)
    no_less: set[str] = field(default_factory=set)


class Wrong(Exception):
    """Something was said that is not so; the text says what."""


def claims_of(policy: Policy, tally: Counter[str], asked: str) -> Claims | None:
    """What is said of the policy by `prove`, and by the command that is asked besides.

    None where the assumptions contradict each other. Raises `Wrong` where what is shown does not
    replay.
    """
    claims = Claims()
    try:
        _prove(policy, claims, tally)
        if asked == "check":
            _check(policy, claims, tally)
        if asked == "diff":
            _diff(policy, claims, tally)
        if asked == "generate":
            _generate(policy, tally)
    except InputError:
        tally["contradictory assumptions"] += 1
        return None
    return claims


def _prove(policy: Policy, claims: Claims, tally: Counter[str]) -> None:
    domain = policy.domain
    gate = Gate(domain, explain_ms=None)
    for one in prove(domain, StaticSolver(domain, limits=LIMITS)):
        tally[f"never {one.proof.name}"] += 1
        if one.proof is Proof.PROVED:
            claims.never.append(one.invariant)
            if one.without_rules:
                claims.anyway.append(one.invariant)
        if one.counterexample is not None:
            case, never = one.counterexample, one.invariant.never
            allowed = replay_case(gate, case).allowed
            if not allowed or truths_in(gate, case, [never]) != (Truth.TRUE,):
                raise Wrong(f"`{one.invariant.id}` is not broken by {case}")
    for many in prove_sequences(domain, SequenceSolver(domain, limits=LIMITS), LONGEST):
        tally[f"always {many.proof.name}"] += 1
        if many.proof is Proof.PROVED:
            claims.always.append(many.invariant)
        if many.counterexample is not None:
            sequence = many.counterexample.sequence
            if replay_sequence(gate, many.invariant, sequence) != many.counterexample:
                raise Wrong(f"`{many.invariant.id}` is not broken by {sequence}")


def _check(policy: Policy, claims: Claims, tally: Counter[str]) -> None:
    (report,) = run_checks([policy.domain], SETTINGS)
    for finding in report.findings:
        tally[f"check {finding.code}"] += 1
    for finding in report.defects:
        for tool in finding.tools:
            if finding.code == "LV101":
                claims.dead.add(tool)
            elif finding.code == "LV102":
                claims.vacuous.add((tool, finding.rules[0]))
            elif finding.code == "LV104" and finding.core:
                claims.redundant.append((tool, finding.rules[0], tuple(finding.core)))


def _diff(policy: Policy, claims: Claims, tally: Counter[str]) -> None:
    report = diff(policy.domain, policy.edited, Effort(limits=LIMITS))
    before, after = Side.of("OLD", policy.domain), Side.of("NEW", policy.edited)
    for tool in report.tools:
        for direction, pair, none in (
            (tool.allowed, Pair(after, before), claims.no_more),
            (tool.refused, Pair(before, after), claims.no_less),
        ):
            tally[f"diff {direction.change.name}"] += 1
            if direction.change is Change.NONE and direction.bound is None:
                none.add(tool.tool)
            found = direction.counterexample
            if found is not None and not pair.differs(found.case):
                raise Wrong(f"{tool.tool}: the sides do not differ on {found.case}")


def _generate(policy: Policy, tally: Counter[str]) -> None:
    """Each case that is made says in its file what the gate says of it."""
    domain = policy.domain
    made = list(generate(domain, StaticSolver(domain, limits=LIMITS)))
    tally["generated"] += sum(not isinstance(one, Skipped) for one in made)
    tally["not generated"] += sum(isinstance(one, Skipped) for one in made)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.yaml"
        write_scenarios(path, [one for one in made if not isinstance(one, Skipped)], domain)
        for scenario in load_scenarios(path, domain):
            problem = run_scenario(Gate(domain), scenario).problem
            if problem is not None:
                raise Wrong(f"{scenario.name}: {problem}: {scenario.case}")
