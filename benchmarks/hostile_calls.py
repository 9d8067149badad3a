"""What is the worst that a call can do to the gate? Hostile calls, timed one by one.

    python benchmarks/hostile_calls.py [--limit-ms 300] [--only KIND] [--verbose]

Every kind is a domain of its own, with calls of growing size: long texts and lists, deep nesting,
many rules, records and earlier calls, odd characters and numbers. Most are far beyond what an agent
sends. Timed is `Session.check`, from the arguments to the verdict; no call may be allowed. The
peers validate the same arguments by the same schema in the same run, without rules or evidence.
Exit status 1 if a decision takes longer than the limit, or allows a call.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import logging
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import jsonschema
from pydantic import ConfigDict, TypeAdapter, create_model

from ledger_verify import Domain, Gate
from ledger_verify.gate.session import Session
from ledger_verify.policy.case import EarlierCall

Schema = Mapping[str, Any]


class Site(NamedTuple):
    """A session, and the schema of the arguments of its write."""

    session: Session
    schema: Schema


Call = tuple[int, Site, str, dict[str, Any]]
"""The size, where it is made, the tool and the arguments."""

TEXT, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def record(**properties: Schema) -> dict[str, Any]:
    """The schema of an object with these fields, all required."""
    return {"type": "object", "required": list(properties), "properties": properties}


def many(of: Schema) -> dict[str, Any]:
    """The schema of a list."""
    return {"type": "array", "items": of}


FILE = record(path=TEXT, content=TEXT)
LINE = record(sku={"enum": ["pen", "ink", "pad"]}, quantity=INTEGER, note=TEXT)
AMOUNT = record(sku={"enum": ["pen", "ink", "pad"]}, quantity=INTEGER)
ACCOUNT = record(id=TEXT, owner=TEXT, limit=INTEGER, note=TEXT)
DEPTH = 40
NESTED: dict[str, Any] = TEXT
for _ in range(DEPTH):
    NESTED = record(inner=NESTED)


def site(arguments: Mapping[str, Schema], *rules: str, **more: Any) -> Site:
    """A session with one write, `write`, and one read of accounts; `more` are keys of the write."""
    write = {"kind": "write", "arguments": dict(arguments), **more}
    read = {"kind": "read", "arguments": {"id": "string"},
            "observes": {"accounts.{args.id}": "result"}}  # fmt: skip
    gate = Gate(
        Domain.define(
            "hostile",
            definitions={"Account": ACCOUNT},
            ledger={"accounts.*": "Account"},
            tools={"write": write, "read_account": read},
            rules=[
                {"id": f"rule_{number}", "tools": ["write"], "require": rule}
                for number, rule in enumerate(rules)
            ],
            clock="2026-01-01T00:00:00",
        )
    )
    gate.warm()
    return Site(gate.session(), record(**arguments))


def accounts(site: Site, count: int, note: str = "") -> None:
    """So many accounts are observed."""
    for number in range(count):
        shown = {"id": f"a{number}", "owner": f"u{number}", "limit": number, "note": note}
        site.session.observe("read_account", {"id": f"a{number}"}, shown)


def unread_text() -> Iterator[Call]:
    """Long contents of files, of which the rule reads the path alone."""
    for size in (1_000, 10_000, 50_000, 1_000_000):
        files = [{"path": f"src/{n}.py", "content": "x\u00e9" * (size // 2)} for n in range(4)]
        files.append({"path": ".env", "content": "y" * size})
        for free in ([], ["files"], ["mode"], ["files", "mode"]):
            s = site({"files": many(FILE), "mode": {"enum": ["dry", "wet"]}},
                           'args.files.all(f, !f.path.startsWith(".env"))',
                           'args.mode == "dry"', free=free)  # fmt: skip
            yield size, s, "write", {"files": files, "mode": "wet"}
        s = site({"files": many(FILE), "id": TEXT},
                       'args.files.all(f, f.path in [ledger.accounts[args.id].owner])',
                       free=["files"])  # fmt: skip
        accounts(s, 3, "z" * size)
        yield size, s, "write", {"files": files, "id": "a1"}


def read_text() -> Iterator[Call]:
    """Long texts that the rules search and compare, with each other and with unread records."""
    for size in (1_000, 10_000, 50_000, 1_000_000):
        for rule in ('args.text.contains("never")', 'args.text == ledger.accounts[args.id].note',
                     'ledger.accounts[args.id].note.contains(args.text)',
                     'args.text.startsWith(ledger.accounts[args.id].owner)',
                     'args.text.size() < ledger.accounts[args.id].limit'):  # fmt: skip
            for seen in (0, 2):
                s = site({"text": TEXT, "id": TEXT, "limit": INTEGER}, rule,
                               "args.limit < 5", free=["limit", "text"])  # fmt: skip
                accounts(s, seen, "ab" * size)
                yield size, s, "write", {"text": "ba" * (size // 2), "id": "a1", "limit": 9}


def changed_texts() -> Iterator[Call]:
    """Texts that are trimmed, put into small letters or ordered, against records not yet read."""
    note = "ledger.accounts[args.id].note"
    for size in (10, 100, 1_000, 100_000):
        for rule in (f"{note}.lowerAscii() == args.text",
                     f"{note}.lowerAscii().contains(args.text)",
                     f"args.text.contains({note}.lowerAscii())", f"{note}.trim() == args.text",
                     f"args.text.trim() == {note}.trim()", f"{note} < args.text",
                     f'{note}.normalize("NFC") == args.text',
                     "string(ledger.accounts[args.id].limit) < args.text"):  # fmt: skip
            for limit in (2, 9):
                s = site({"text": TEXT, "id": TEXT, "limit": INTEGER}, rule,
                               "args.limit < 5", free=["limit", "text"])  # fmt: skip
                yield size, s, "write", {"text": "ab" * (size // 2), "id": "a1", "limit": limit}


def long_lists() -> Iterator[Call]:
    """Lists of nothing but bad items."""
    for size in (10, 100, 1_000, 10_000, 100_000):
        for line in (LINE, AMOUNT):
            rules = ("args.lines.all(l, l.quantity <= 5)", "sum(args.lines.map(l, l.quantity)) < 9",
                     'args.lines.exists(l, l.sku == "pad")', "args.lines.size() < 5")  # fmt: skip
            for chosen in (rules, *((rule,) for rule in rules)):
                for free in ([], ["lines"]):
                    s = site({"lines": many(line)}, *chosen, free=free)
                    lines = [{"sku": "pen", "quantity": 7, "note": "n"} for _ in range(size)]
                    if line is AMOUNT:
                        lines = [{"sku": "pen", "quantity": 7} for _ in range(size)]
                    yield size, s, "write", {"lines": lines}


def deep_nesting() -> Iterator[Call]:
    """Arguments, and rules, that nest."""
    for depth in (10, DEPTH, 400, 900, 20_000):
        value: Any = "deep"
        for _ in range(depth):
            value = {"inner": value}
        rule = f"args.value{'.inner' * DEPTH} == ledger.accounts[args.id].owner"
        s = site({"value": NESTED, "id": TEXT}, rule, f"{'(' * 60}args.id == 'x'{')' * 60}")
        yield depth, s, "write", {"value": value, "id": "a1"}


def many_rules() -> Iterator[Call]:
    """Rules that are all violated, or all open."""
    for size in (1, 10, 100, 1_000):
        for rule in (
            "args.limit < {}",
            "ledger.accounts[args.id].limit > args.limit + {}",
            'args.text.contains("{}") || ledger.accounts[args.id].note == args.text',
        ):
            s = site({"limit": INTEGER, "id": TEXT, "text": TEXT},
                           *(rule.format(n) for n in range(size)), free=["limit"])  # fmt: skip
            yield size, s, "write", {"limit": 2_000, "id": "a1", "text": "t" * 1_000}


def many_records() -> Iterator[Call]:
    """Records that were observed, over which rules range and from which repairs could come."""
    for size in (10, 100, 1_000, 10_000):
        for rule in ("records(ledger.accounts).all(a, a.limit > 5)",
                     "records(ledger.accounts).exists(a, a.owner == args.owner "
                     "&& a.limit > args.limit)",
                     "ledger.accounts[args.id].owner == args.owner"):  # fmt: skip
            s = site({"limit": INTEGER, "owner": TEXT, "id": TEXT}, rule,
                           free=["limit", "owner"])  # fmt: skip
            accounts(s, size, "n" * 100)
            yield size, s, "write", {"limit": 10**9, "owner": "nobody", "id": "a1"}


def many_unread_records() -> Iterator[Call]:
    """A list of keys, none of whose records was read."""
    for size in (10, 100, 1_000, 10_000):
        for rule in ("args.ids.all(i, ledger.accounts[i].limit < 9)",
                     "args.ids.exists(i, ledger.accounts[i].owner == args.owner)",
                     "sum(args.ids.map(i, ledger.accounts[i].limit)) < 9"):  # fmt: skip
            s = site({"ids": many(TEXT), "owner": TEXT}, rule, free=["owner"])
            yield size, s, "write", {"ids": [f"a{n}" for n in range(size)], "owner": "u"}


def long_history() -> Iterator[Call]:
    """Many earlier calls of the same tool."""
    for size in (10, 100, 1_000, 10_000):
        for rule in ("history.write.filter(c, c.ok).size() < 3",
                     "sum(history.write.map(c, c.args.limit)) + args.limit < 100",
                     "!history.write.exists(c, c.args.id == args.id)"):  # fmt: skip
            s = site({"limit": INTEGER, "id": TEXT}, rule, free=["limit"])
            for number in range(size):
                earlier = {"limit": 50, "id": f"a{number % 7}"}
                s.session.recall(EarlierCall("write", earlier, True, "ALLOW", 0))
            yield size, s, "write", {"limit": 60, "id": "a1"}


def odd_texts() -> Iterator[Call]:
    """Characters from everywhere, alone and a hundred thousand of them; also as names."""
    for text in ("\U0001f600", "e\u0301", "\u202e", "\x00", "\ud800", "\ufdfa", "\u0130", "\u1e9e"):
        for size in (1, 1_000, 100_000):
            s = site({"text": TEXT, "id": TEXT},
                           'ledger.accounts[args.id].owner == args.text.trim()',
                           'args.id.contains("never")', free=["text"])  # fmt: skip
            accounts(s, 2, text * 10)
            yield size, s, "write", {"text": text * size, "id": text * size}
            yield size, s, "write", {"text": "a", "id": "a1", text * size: 1}
            yield size, s, text * size, {}


def huge_numbers() -> Iterator[Call]:
    """Whole numbers and fractions of many digits."""
    for digits in (10, 100, 300, 4_000, 100_000):
        for number in (10**digits, -(10**digits), float(f"1e{min(digits, 308)}"), 10.0**-9):
            s = site({"limit": NUMBER, "id": TEXT}, "args.limit * args.limit == 3",
                     "args.limit < ledger.accounts[args.id].limit", free=["limit"])  # fmt: skip
            yield digits, s, "write", {"limit": number, "id": "a1"}


def patterns() -> Iterator[Call]:
    """Regular expressions on long texts, of the call and of records that are not read."""
    for size in (100, 10_000, 1_000_000):
        for pattern in ("^(a+)+$", "^([a-z]{1,40}){1,20}x$", "(.*a){12}b", r"^\\w+@(\\w+\\.)+com$"):
            for rule in (
                f'args.text.matches("{pattern}")',
                f'ledger.accounts[args.id].note.matches("{pattern}") && args.text == ""',
            ):
                s = site({"text": TEXT, "id": TEXT, "limit": INTEGER}, rule,
                               "args.limit < 5", free=["limit", "text"])  # fmt: skip
                yield size, s, "write", {"text": "a" * size + "!", "id": "a1", "limit": 9}


KINDS: tuple[Callable[[], Iterator[Call]], ...] = (
    unread_text, read_text, changed_texts, long_lists, deep_nesting, many_rules, many_records,
    many_unread_records, long_history, odd_texts, huge_numbers, patterns,
)  # fmt: skip


def timed_ms(action: Callable[[], Any]) -> float:
    """How long it takes, whatever comes of it."""
    start = time.perf_counter()
    with contextlib.suppress(Exception):
        action()
    return (time.perf_counter() - start) * 1_000


def peers_ms(schema: Schema, given: Any) -> tuple[float, float]:
    """How long pydantic and jsonschema take to validate arguments."""
    adapter = TypeAdapter(model_of(schema))
    validator = jsonschema.Draft202012Validator(schema)
    return (
        timed_ms(lambda: adapter.validate_python(given)),
        timed_ms(lambda: validator.is_valid(given)),
    )


def model_of(schema: Schema) -> Any:
    """The Python type of a schema, as pydantic validates it."""
    match schema:
        case {"enum": [*options]}:
            return Literal[tuple(options)]
        case {"type": "array", "items": of}:
            return list[model_of(of)]  # type: ignore[misc]
        case {"type": "object", "properties": properties}:
            fields: dict[str, Any] = {n: (model_of(of), ...) for n, of in properties.items()}
            return create_model("Record", __config__=ConfigDict(extra="forbid"), **fields)
    return {"string": str, "integer": int, "number": float}[schema["type"]]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--limit-ms", type=float, default=300)
    parser.add_argument("--only", choices=[kind.__name__ for kind in KINDS])
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print every decision")
    options = parser.parse_args(arguments)
    logging.getLogger("ledger_verify").setLevel(logging.CRITICAL)
    print(f"{'worst of each kind, ms':24}{'calls':>6}{'gate':>8}{'median':>8}{'cut off':>8}"
          f"{'pydantic':>10}{'jsonschema':>11}")  # fmt: skip
    worst, allowed = 0.0, 0
    for kind in KINDS:
        if options.only not in (None, kind.__name__):
            continue
        times, peers, cut, measured = list[float](), [(0.0, 0.0)], 0, set[int]()
        for size, (session, schema), tool, given in kind():
            gc.collect()
            start = time.perf_counter()
            verdict = session.check(tool, given)
            times.append((time.perf_counter() - start) * 1_000)
            cut += verdict.decided_by == "limit"
            allowed += verdict.allowed
            if tool == "write" and not options.no_peer and size not in measured:
                measured.add(size)
                peers.append(peers_ms(schema, given))
            if options.verbose:
                print(f"  {size:9,} {times[-1]:9.1f} ms {verdict.decision.value} "
                      f"{verdict.decided_by} {verdict.message[:90]!r}")  # fmt: skip
        worst = max(worst, *times)
        pydantic, plain = (max(column) for column in zip(*peers, strict=True))
        print(f"{kind.__name__:24}{len(times):6}{max(times):8.1f}{statistics.median(times):8.1f}"
              f"{cut:8}{pydantic:10.1f}{plain:11.1f}")  # fmt: skip
    print(f"worst decision: {worst:.0f} ms, calls allowed: {allowed}")
    return int(worst > options.limit_ms or allowed > 0)


if __name__ == "__main__":
    sys.exit(main())
