"""`demo`: verify, gate and generate on a bundled conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ledger_verify.adapters.loop import GatedLoop
from ledger_verify.cli.options import DebugOption
from ledger_verify.cli.output import emit, styled, verdict_text
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Verdict
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.yaml_file import read_yaml

_DOMAIN = "airline"


def demo(debug: DebugOption = False) -> int:
    """Verify the bundled airline policy, then run a conversation with and without the gate."""
    domain = Domain.load(_DOMAIN)
    assert domain.folder is not None
    script = read_yaml(domain.folder / "demo.yaml").data
    for line in (*_verify(domain), *_converse(domain, script), *_generate(domain)):
        emit(line)
    return 0


def _title(number: int, text: str) -> str:
    return f"\n{styled(f'{number}. {text}', 'bold')}"


def _verify(domain: Domain) -> Iterator[str]:
    from ledger_verify.checks.running.run import run_checks

    yield _title(1, "Verify the policy before it is deployed (`ledger-verify check airline`)")
    report = run_checks([domain])[0]
    ran = [summary for summary in report.checked if summary.proved + summary.refuted]
    sound = sum(summary.proved for summary in ran)
    open_ = sum(summary.undecided for summary in report.checked)
    yield (
        f"   {len(ran)} of {len(report.checked)} checks found something to look at: "
        f"{sound} times nothing to blame, {len(report.defects)} defects, "
        f"{open_} undecided"
    )


@dataclass
class ScriptedModel:
    """A stand-in for a language model: makes the moves of a script, one each time it is asked.

    It says that it is done as soon as the last call was carried out.
    """

    moves: Sequence[dict[str, Any]]
    done: str
    asked: int = 0

    def __call__(self, messages: list[dict[str, Any]], tools: Any) -> dict[str, Any]:
        last = messages[-1]
        finished = last.get("name") == self.moves[-1]["tool"] and '"verdict"' not in last["content"]
        if finished or self.asked >= len(self.moves):
            return {"role": "assistant", "content": self.done}
        move = self.moves[self.asked]
        self.asked += 1
        function = {"name": move["tool"], "arguments": json.dumps(move["arguments"])}
        call = {"id": f"call_{self.asked}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def _converse(domain: Domain, script: dict[str, Any]) -> Iterator[str]:
    results = {entry["tool"]: entry["result"] for entry in script["results"]}

    def execute(name: str, arguments: Any) -> Any:
        return results[name]

    yield _title(2, "The conversation without the gate")
    yield f"   person: {script['person']}"
    model = ScriptedModel(script["moves"], script["done"])
    messages: list[dict[str, Any]] = [{"role": "user", "content": script["person"]}]
    while "content" in (reply := model(messages, ())) and reply["content"] is None:
        function = reply["tool_calls"][0]["function"]
        result = json.dumps(execute(function["name"], {}))
        answer = {"role": "tool", "name": function["name"], "content": result}
        messages += [reply, answer]
        yield f"   call:   {_shown(function['name'], json.loads(function['arguments']))}"
    yield f"   agent:  {styled(reply['content'], 'red')}"

    yield _title(3, "The same conversation with the gate")
    yield f"   person: {script['person']}"
    messages = [{"role": "user", "content": script["person"]}]
    loop = GatedLoop(
        Gate(domain, explain_ms=None).session(),
        ScriptedModel(script["moves"], script["done"]),
        execute,
    )
    for turn in loop.run(messages):
        for verdict in turn.verdicts:
            yield from _judged(domain, verdict)
        if turn.finished:
            yield f"   agent:  {_indented(turn.messages[-1]['content'])}"


def _judged(domain: Domain, verdict: Verdict) -> Iterator[str]:
    yield f"   call:   {_shown(verdict.tool, verdict.arguments)}"
    if domain.rules_by_tool[verdict.tool]:
        yield f"   gate:   {verdict_text(verdict.decision.value)}"
    if verdict.missing:
        yield f"           {_indented(verdict.message)}"


def _shown(name: str, arguments: Any) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in arguments.items())})"


def _indented(text: str) -> str:
    return text.replace("\n", "\n           ")


def _generate(domain: Domain) -> Iterator[str]:
    from ledger_verify.generate.cases import single_fault
    from ledger_verify.generate.scenario import Scenario, scenario_data
    from ledger_verify.solver.static import StaticSolver

    yield _title(4, "A test task from the policy (`ledger-verify generate airline -o DIR`)")
    rule = domain.rules_by_tool["cancel_reservation"][2]
    made = single_fault(domain, StaticSolver(domain), Gate(domain, explain_ms=None), rule)
    if isinstance(made, Scenario):
        yield f"   {made.name}: expects {verdict_text(made.verdict)}"
        data = scenario_data(made, domain)
        for path, record in data["ledger"].items():
            yield f"   {path}: {json.dumps(record, ensure_ascii=False)}"
        yield f"   call:   {_shown(data['call']['tool'], data['call']['arguments'])}"
