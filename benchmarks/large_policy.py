"""How long `check` takes on a large policy: cold, unchanged, and after one rule changed.

    python benchmarks/large_policy.py [--rules N ...] [--tools N] [--processes N] [--plot FILE.svg]

The policies are made up: every tool has rules about owners, states, amounts, times, lists and
earlier calls. Each size is checked in a folder of its own with an empty cache. `--plot` draws the
time over the number of rules. The last column is the time per rule against that of the smallest
size: 1.0 is linear growth.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger_verify.checks.catalog import CHECKS
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.yaml_file import yaml_text

SIZES = (100, 250, 500, 1000)
_RECORD = "ledger.{kind}s[args.record_id]"


@dataclass(frozen=True)
class Row:
    """Seconds for one size, and the findings and undecided questions of it."""

    rules: int
    cold: float
    unchanged: float
    changed: float
    findings: int
    undecided: int


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="check policies of growing size")
    parser.add_argument("--rules", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--tools", type=int, default=50)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("-v", action="store_true", help="the time of each check")
    options = parser.parse_args(arguments)
    rows = []
    print("rules  tools   cold s  unchanged s  one changed s  findings  undecided  growth")
    for rules in sorted(options.rules):
        row = _measure(rules, options.tools, options.processes, options.v)
        rows.append(row)
        growth = row.cold / row.rules / (rows[0].cold / rows[0].rules)
        print(
            f"{row.rules:5}  {options.tools:5}  {row.cold:7.1f}  {row.unchanged:11.2f}  "
            f"{row.changed:13.2f}  {row.findings:8}  {row.undecided:9}  {growth:6.2f}",
            flush=True,
        )
    if options.plot is not None:
        options.plot.write_text(plot(rows), encoding="utf-8")
    return 0


def _measure(rules: int, tools: int, processes: int, verbose: bool) -> Row:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_policy(folder, rules, tools)
        cold = _check(folder, processes)
        if verbose:
            for summary in sorted(cold[1].checked, key=lambda s: -s.milliseconds):
                print(f"    {summary.check:26} {summary.milliseconds:8} ms", file=sys.stderr)
        unchanged = _check(folder, processes)
        write_policy(folder, rules, tools, changed=True)
        changed = _check(folder, processes)
        report = cold[1]
        return Row(
            rules,
            cold[0],
            unchanged[0],
            changed[0],
            len(report.defects),
            sum(summary.undecided for summary in report.checked),
        )


def _check(folder: Path, processes: int) -> tuple[float, Any]:
    started = time.perf_counter()
    domain = Domain.load(folder)
    (report,) = run_checks([domain], None, CHECKS, processes=processes, cache=folder / "cache")
    return time.perf_counter() - started, report


def write_policy(folder: Path, rules: int, tools: int, *, changed: bool = False) -> None:
    """Write a domain with so many rules over so many tools; one bound differs if `changed`."""
    kinds = [f"kind{number}" for number in range(10)]
    each = -(-rules // tools)
    documents = list(_rules(rules, tools, kinds, changed))
    names = [f"act_{number}" for number in range(tools)]
    (folder / "domain.yaml").write_text(yaml_text(_domain(names, kinds)), encoding="utf-8")
    (folder / "schema.yaml").write_text(yaml_text(_schema(each)), encoding="utf-8")
    (folder / "policy.yaml").write_text(yaml_text({"rules": documents}), encoding="utf-8")


def _rules(rules: int, tools: int, kinds: list[str], changed: bool) -> Iterator[dict[str, Any]]:
    for number in range(rules):
        tool, place = number % tools, number // tools
        record = _RECORD.format(kind=kinds[tool % len(kinds)])
        bound = 500 + place + (1 if changed and number == rules // 2 else 0)
        forms: list[dict[str, str]] = [
            {"require": f'r.state_{place} in ["open", "held"]'},
            {"when": 'args.mode == "express"', "require": f"args.amount <= r.limit_{place}"},
            {"require": f'now - r.seen_{place} <= duration("{bound}h")'},
            {"require": f"r.lines.all(l, l.quantity_{place} <= {bound})"},
            {"require": f"args.quantity <= {bound} || r.flag_{place}"},
            {"when": f"r.flag_{place}", "require": f"size(args.items) <= {place % 4 + 3}"},
            {"require": f"size(history.act_{tool}.filter(c, c.ok)) < 3 || r.flag_{place}"},
            {"require": f"args.items.all(i, r.lines.exists(l, l.sku_{place} == i))"},
            {"require": f"r.score_{place} + args.amount <= {1000 + bound}.0"},
            {"require": f"r.owner_{place} == ledger.user.user_id"},
        ]
        yield {
            "id": f"rule_{number}",
            "tools": [f"act_{tool}"],
            "let": {"r": record},
            **forms[place % len(forms)],
            "message": f"Rule {number} of {{args.record_id}} does not hold.",
            "clause": f"Clause {number}.",
        }


def _domain(names: list[str], kinds: list[str]) -> dict[str, Any]:
    tools: dict[str, Any] = {
        "find_user": {
            "kind": "read", "arguments": {"email": "string"}, "asks": ["email"],
            "observes": {"user": "result"},
        }
    }  # fmt: skip
    for kind in kinds:
        path = f"{kind}s.{{args.record_id}}"
        tools[f"get_{kind}"] = {
            "kind": "read", "arguments": {"record_id": "string"}, "observes": {path: "result"},
        }  # fmt: skip
    for number, name in enumerate(names):
        tools[name] = {
            "kind": "write",
            "arguments": {
                "record_id": "string",
                "mode": {"enum": ["standard", "express"]},
                "amount": {"type": "number", "minimum": 0},
                "quantity": {"type": "integer", "minimum": 0, "maximum": 1000},
                "items": "string[]",
            },
            "touches": [f"{kinds[number % len(kinds)]}s.{{args.record_id}}"],
        }
    ledger = {"user": "User"} | {f"{kind}s.*": "Record" for kind in kinds}
    return {"domain": "large", "clock": "2026-03-02T12:00:00", "ledger": ledger, "tools": tools}


def _schema(each: int) -> dict[str, Any]:
    record: dict[str, Any] = {}
    line: dict[str, Any] = {}
    for place in range(each):
        record |= {
            f"state_{place}": {"enum": ["open", "held", "closed"]},
            f"limit_{place}": {"type": "number", "minimum": 0},
            f"score_{place}": {"type": "number", "minimum": 0},
            f"seen_{place}": {"type": "string", "format": "date-time"},
            f"flag_{place}": {"type": "boolean"},
            f"owner_{place}": {"type": "string"},
        }
        line |= {
            f"quantity_{place}": {"type": "integer", "minimum": 0},
            f"sku_{place}": {"type": "string"},
        }
    items = {"type": "object", "required": list(line), "properties": line}
    record["lines"] = {"type": "array", "items": items}
    user = {"user_id": {"type": "string"}}
    return {
        "$defs": {
            "User": {"type": "object", "required": list(user), "properties": user},
            "Record": {"type": "object", "required": list(record), "properties": record},
        }
    }


def plot(rows: Sequence[Row], width: int = 640, height: int = 400) -> str:
    """The seconds over the number of rules, with the straight line through the largest size."""
    margin = 60
    most_rules = max(row.rules for row in rows)
    most_seconds = max(row.cold for row in rows) * 1.1

    def at(rules: float, seconds: float) -> tuple[float, float]:
        x = margin + rules / most_rules * (width - 2 * margin)
        return round(x, 1), round(
            height - margin - seconds / most_seconds * (height - 2 * margin), 1
        )

    def line(points: Sequence[tuple[float, float]], colour: str, dashes: str = "none") -> str:
        joined = " ".join(f"{x},{y}" for x, y in points)
        return (
            f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dashes}"/>'
        )

    last = max(rows, key=lambda row: row.rules)
    parts = [
        line([at(0, most_seconds), at(0, 0), at(most_rules, 0)], "#777"),
        line([at(0, 0), at(last.rules, last.cold)], "#999", "4 4"),
        line([at(row.rules, row.cold) for row in rows], "#06c"),
        line([at(row.rules, row.changed) for row in rows], "#c60"),
    ]
    for row in rows:
        x, y = at(row.rules, row.cold)
        parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="#06c"/>')
        parts.append(f'<text x="{x}" y="{y - 8}" text-anchor="middle">{row.cold:.1f} s</text>')
        parts.append(
            f'<text x="{x}" y="{height - margin + 18}" text-anchor="middle">{row.rules}</text>'
        )
    parts.append(
        f'<text x="{width / 2}" y="{height - 14}" text-anchor="middle">'
        "rules (blue: cold, orange: one rule changed, dashed: linear)</text>"
    )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12" fill="#555">\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    sys.exit(main())
