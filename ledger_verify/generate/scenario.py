"""Scenarios: a ledger, a call, and the verdict that is expected; their files and how they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ledger_verify.gate.cases import case_data, replay_case
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Verdict
from ledger_verify.lang.environment import SESSION, VERDICTS
from ledger_verify.lang.errors import InputError, Location, near_match
from ledger_verify.ledger.paths import parse_path, parse_place
from ledger_verify.policy.case import Case, EarlierCall
from ledger_verify.policy.domain import Domain, clock_from_text
from ledger_verify.policy.session_facts import typed_facts
from ledger_verify.policy.yaml_file import DataPath, YamlFile, read_yaml

_VERDICTS = ("ALLOW", "REVISE", "BLOCK")
_TRUTHS = ("TRUE", "FALSE", "UNKNOWN", "ERROR", "not applicable")
_KEYS = (
    "name", "clock", "tools", "session", "ledger", "stale", "absent", "history", "heard", "call",
    "expect",
)  # fmt: skip


GENERATED = "# Made by `ledger-verify generate`, which replaces it: write your own in another file."


@dataclass(frozen=True)
class Scenario:
    """A named case with its expected verdict, and the truth of the rules that it is about."""

    name: str
    case: Case
    verdict: str
    rules: Mapping[str, str]
    location: Location | None = None


@dataclass(frozen=True)
class ScenarioResult:
    """What the gate said of a scenario; `problem` is None if it was as expected."""

    scenario: Scenario
    verdict: Verdict | None
    problem: str | None


def scenario_files(folder: Path) -> list[Path]:
    """The scenario files of a folder, or of its `scenarios` folder where it is a domain."""
    root = folder / "scenarios" if (folder / "domain.yaml").is_file() else folder
    return sorted(path for path in root.rglob("*.yaml") if path.name != "domain.yaml")


def load_scenarios(path: Path, domain: Domain) -> Iterator[Scenario]:
    """The scenarios of a file; raises `InputError` with the place of what is wrong."""
    for scenario in readable_scenarios(path, domain):
        if isinstance(scenario, InputError):
            raise scenario
        yield scenario


def readable_scenarios(path: Path, domain: Domain) -> Iterator[Scenario | InputError]:
    """The scenarios of a file, an error with its place for each that does not fit the domain."""
    try:
        file = read_yaml(path)
        listed = file.data.get("scenarios") if isinstance(file.data, dict) else None
        if not isinstance(listed, list):
            raise file.error("expected `scenarios:` with a list", ())
    except InputError as problem:
        yield problem
        return
    for index, data in enumerate(listed):
        try:
            yield read_scenario(file, data, ("scenarios", index), domain)
        except InputError as problem:
            if file.text.startswith(GENERATED):
                remedy = "the file is made by `ledger-verify generate`: run it again"
                problem.hint = f"{remedy}; {problem.hint}" if problem.hint else remedy
            yield problem


def read_scenario(file: YamlFile, data: Any, path: DataPath, domain: Domain) -> Scenario:
    """The scenario that stands at `path` of the file; raises `InputError` with the place."""
    if not isinstance(data, dict):
        raise file.error("expected a scenario (a mapping)", path)
    for key in data:
        if key not in _KEYS:
            raise file.error(f"unknown key `{key}`", (*path, key), hint=near_match(key, _KEYS))
    call: Any = data.get("call")
    expect: Any = data.get("expect")
    tool = _tool_of(file, call, (*path, "call"))
    if tool is None:
        raise file.error("a scenario needs `call: {tool: ..., arguments: {...}}`", path)
    if not isinstance(expect, dict) or expect.get("verdict") not in _VERDICTS:
        raise file.error("a scenario needs `expect: {verdict: ALLOW | REVISE | BLOCK}`", path)
    rules = expect.get("rules", {})
    known = {rule.id for rule in domain.rules}
    for rule in rules:
        if rule not in known:
            hint = near_match(rule, known)
            raise file.error(f"unknown rule `{rule}`", (*path, "expect", "rules", rule), hint=hint)
    truths = {
        rule: _truth(file, truth, (*path, "expect", "rules", rule)) for rule, truth in rules.items()
    }
    now_us = domain.clock_us
    if "clock" in data:
        now_us = _time(file, data["clock"], (*path, "clock"), domain)
    if now_us is None:
        raise file.error("a scenario needs a `clock`: the domain pins none", path)
    tools = data.get("tools")
    case = Case(
        tool,
        call.get("arguments") or {},
        data.get("ledger") or {},
        now_us,
        None if tools is None else tuple(tools),
        _history(file, data.get("history") or [], (*path, "history"), domain, now_us),
        _heard(file, data.get("heard") or [], (*path, "heard")),
        _facts(file, data, path, domain),
        _paths(file, data.get("stale") or [], (*path, "stale"), domain, parse_place),
        _paths(file, data.get("absent") or [], (*path, "absent"), domain, parse_path),
    )
    name = str(data.get("name") or f"scenario {path[-1]}")
    return Scenario(name, case, expect["verdict"], truths, file.locate(path))


def _tool_of(file: YamlFile, call: Any, path: DataPath) -> str | None:
    """The tool of a call, which may be its `name` as in chat logs; None where none is told."""
    if not isinstance(call, dict):
        return None
    if "tool" in call and "name" in call:
        raise file.error("a call has either `tool` or `name`, not both", (*path, "name"))
    tool = call.get("tool", call.get("name"))
    return tool if isinstance(tool, str) else None


def _facts(file: YamlFile, data: Any, path: DataPath, domain: Domain) -> Mapping[str, Any]:
    """The facts of the session, which must be such as the domain declares."""
    facts = data.get("session") or {}
    try:
        typed_facts(facts, domain.session, domain.name, domain.zone)
    except InputError as problem:
        place = (*path, "session") if facts else path
        hint = f"write `{SESSION}: {{...}}`" if domain.session is not None else problem.hint
        raise file.error(problem.message, place, hint=problem.hint if facts else hint) from None
    return dict(facts)


def _truth(file: YamlFile, given: Any, path: DataPath) -> str:
    """The truth that is expected; TRUE and FALSE without quotes are booleans to YAML."""
    truth = str(given).upper() if isinstance(given, bool) else str(given)
    if truth not in _TRUTHS:
        raise file.error(f"unknown truth `{truth}`", path, hint=near_match(truth, _TRUTHS))
    return truth


def _time(file: YamlFile, given: Any, path: DataPath, domain: Domain) -> int:
    try:
        return clock_from_text(str(given), domain, f"`{path[-1]}`")
    except InputError as problem:
        raise file.error(problem.message, path, hint=problem.hint) from None


def _paths(
    file: YamlFile, data: Any, path: DataPath, domain: Domain, parse: Callable[[str, Domain], Any]
) -> tuple[str, ...]:
    """Paths of records that are not there, or of records or parts of them that went stale."""
    if not isinstance(data, list):
        raise file.error("expected a list of paths such as `orders.W1`", path)
    for index, part in enumerate(data):
        try:
            parse(str(part), domain)
        except InputError as problem:
            raise file.error(problem.message, (*path, index), hint=problem.hint) from None
    return tuple(map(str, data))


def _history(
    file: YamlFile, data: Any, path: DataPath, domain: Domain, now_us: int
) -> tuple[EarlierCall, ...]:
    """Earlier calls, each `{tool, arguments, ok, verdict, time}`; only the tool must be given."""
    if not isinstance(data, list) or not all(isinstance(call, dict) for call in data):
        raise file.error("expected a list of earlier calls", path)
    calls = []
    for index, call in enumerate(data):
        tool = _tool_of(file, call, (*path, index))
        if tool is None:
            raise file.error("an earlier call needs a `tool`", (*path, index))
        verdict = call.get("verdict", "ALLOW")
        if verdict not in VERDICTS:
            hint = near_match(str(verdict), VERDICTS)
            raise file.error(f"unknown verdict `{verdict}`", (*path, index, "verdict"), hint=hint)
        given = call.get("time")
        time_us = now_us if given is None else _time(file, given, (*path, index, "time"), domain)
        ok = bool(call.get("ok", verdict in ("ALLOW", "UNCHECKED")))
        calls.append(EarlierCall(tool, call.get("arguments") or {}, ok, verdict, time_us))
    return tuple(calls)


def _heard(file: YamlFile, data: Any, path: DataPath) -> tuple[str, ...]:
    """What the user said before the call."""
    if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
        raise file.error("expected a list of texts that the user said", path)
    return tuple(data)


def run_scenario(gate: Gate, scenario: Scenario) -> ScenarioResult:
    """Replay a scenario and compare."""
    try:
        verdict = replay_case(gate, scenario.case)
    except InputError as problem:
        return ScenarioResult(scenario, None, problem.message)
    truths = {report.id: report.truth for report in verdict.rules}
    problems = []
    if verdict.decision.value != scenario.verdict:
        problems.append(f"expected {scenario.verdict}, the gate says {verdict.decision.value}")
    for rule, truth in scenario.rules.items():
        # an ALLOW names no rules: all of them hold
        found = truths.get(rule, "TRUE" if verdict.allowed else "not applicable")
        if found != truth:
            problems.append(f"expected `{rule}` to be {truth}, it is {found}")
    return ScenarioResult(scenario, verdict, "; ".join(problems) or None)


def scenario_data(scenario: Scenario, domain: Domain) -> dict[str, Any]:
    """A scenario as plain data for a file."""
    data: dict[str, Any] = {"name": scenario.name, **case_data(scenario.case, domain)}
    data["expect"] = {"verdict": scenario.verdict, "rules": dict(scenario.rules)}
    return data


def is_generated(path: Path) -> bool:
    """Whether a file says that it was generated; raises `InputError` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").startswith(GENERATED)
    except OSError as problem:
        raise InputError(f"cannot read `{path}`: {problem.strerror}") from None


def write_scenarios(path: Path, scenarios: Iterable[Scenario], domain: Domain) -> None:
    """Write scenarios to a YAML file; raises `InputError` where that fails."""
    data = {"scenarios": [scenario_data(scenario, domain) for scenario in scenarios]}
    text = yaml.dump(data, Dumper=_QuotingDumper, sort_keys=False, allow_unicode=True, width=100)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{GENERATED}\n{text}", encoding="utf-8")
    except OSError as problem:
        raise InputError(f"cannot write `{path}`: {problem.strerror}") from None


class _QuotingDumper(yaml.SafeDumper):
    """Writes no anchors, so that every scenario can be read on its own."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
