"""Answers of checks, kept on disk by the content of what they depend on.

An answer is found again only if the expressions, types, assumptions and limits behind it, and the
code that gave it, are the same. A cache that cannot be read or written is done without.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any

from ledger_verify.checks.base.finding import Claim, Finding
from ledger_verify.checks.base.job import Job, Settings
from ledger_verify.lang.content import ContentNames
from ledger_verify.lang.typed import Expr, Observed, Read, Records, distinct
from ledger_verify.policy.domain import Domain

_PARTS = ("checks", "evaluate", "gate", "lang", "ledger", "policy", "schema", "solver")
_KEPT_DAYS = 30
_DAY_S = 86_400
_SOME = 500


def cache_folder() -> Path:
    """`$LEDGER_VERIFY_CACHE`, or `ledger-verify` in the user's folder for caches."""
    own = os.environ.get("LEDGER_VERIFY_CACHE")
    if own:
        return Path(own)
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "ledger-verify"


class Keys:
    """Names what the answers about one domain depend on."""

    def __init__(self, domain: Domain, settings: Settings, engine: str) -> None:
        self._domain = domain
        self._names = ContentNames()
        self._reached: dict[int, tuple[Expr, frozenset[str]]] = {}
        self._common = self._names.name(
            (
                engine, settings.timeout_ms, settings.resources, settings.scope,
                domain.timezone, domain.clock_us,
            )
        )  # fmt: skip

    def of(self, check: str, job: Job) -> str:
        """The key of one job."""
        patterns = self._patterns(job)
        facts: list[Any] = [self._domain.ledger[pattern] for pattern in sorted(patterns)]
        facts += [
            (assumption.pattern, assumption.body)
            for assumption in self._domain.assumptions
            if self._speaks_of(assumption.pattern, assumption.body) & patterns
        ]
        named = self._names.name(
            (
                self._common, check, job.tool, self._domain.tools[job.tool].arguments,
                job.depends, facts,
            )
        )  # fmt: skip
        return named.hex()

    def _patterns(self, job: Job) -> frozenset[str]:
        """The patterns that the job's expressions reach, through assumptions as well."""
        found: set[str] = set()
        for part in job.depends:
            if hasattr(part, "span"):
                found |= self._reads(part)
        while True:
            more = set(found)
            for assumption in self._domain.assumptions:
                speaks = self._speaks_of(assumption.pattern, assumption.body)
                if speaks & found:
                    more |= speaks
            if more == found:
                return frozenset(found)
            found = more

    def _speaks_of(self, pattern: str | None, body: Expr) -> frozenset[str]:
        return self._reads(body) | ({pattern} if pattern else set())

    def _reads(self, expr: Expr) -> frozenset[str]:
        if id(expr) not in self._reached:
            found = set()
            for part in distinct(expr):
                match part:
                    case Read(pattern=pattern) | Records(pattern=pattern):
                        found.add(pattern)
                    case Observed(read=read):
                        found.add(read.pattern)
            self._reached[id(expr)] = expr, frozenset(found)
        return self._reached[id(expr)][1]


def edition(domain: Domain) -> str:
    """A name for the content of the domain's files together with how they are called.

    Findings tell places, and a copy of the domain, or the same one from elsewhere, has others.
    """
    files = [*domain.sources.values(), *(t.file for t in domain.templates.values())]
    return "\0".join([domain.revision, *sorted(file.name for file in files)])


def engine_name() -> str:
    """A name for the code that gives answers, so that no other code's answers are taken for its."""
    digest = hashlib.blake2b(metadata.version("z3-solver").encode(), digest_size=16)
    package = Path(__file__).resolve().parents[2]
    for part in _PARTS:
        for path in sorted((package / part).rglob("*")):
            if path.suffix in (".py", ".lark"):
                digest.update(f"{part}/{path.name}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


class AnswerCache:
    """A file of answers; use it in a `with` block."""

    def __init__(self, folder: Path) -> None:
        self._connection: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(folder / "answers.sqlite", timeout=5)
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS known"
                "(key TEXT PRIMARY KEY, edition TEXT, claims TEXT, day INTEGER)"
            )
        except (OSError, sqlite3.Error):
            self._connection = None

    def __enter__(self) -> AnswerCache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()

    def get(self, keys: Iterable[str], edition: str) -> dict[str, list[Claim]]:
        """The answers that are known.

        One with findings counts only for the edition of the domain that it was given for, since
        places and clauses are part of it.
        """
        if self._connection is None:
            return {}
        found: dict[str, list[Claim]] = {}
        pending = list(keys)
        try:
            for start in range(0, len(pending), _SOME):
                some = pending[start : start + _SOME]
                marks = ",".join("?" * len(some))
                rows = self._connection.execute(
                    f"SELECT key, edition, claims FROM known WHERE key IN ({marks})", some
                )
                for key, known_for, text in rows:
                    claims = _claims(text)
                    if known_for == edition or not any(claim.finding for claim in claims):
                        found[key] = claims
        except (sqlite3.Error, ValueError, TypeError, KeyError):
            return {}
        return found

    def put(self, answers: Mapping[str, Iterable[Claim]], edition: str) -> None:
        """Keep answers, except those that stayed undecided."""
        if self._connection is None:
            return
        today = int(time.time()) // _DAY_S
        rows = [
            (key, edition, _text(claims), today)
            for key, claims in answers.items()
            if not any(claim.undecided for claim in claims)
        ]
        try:
            with self._connection:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?)", rows
                )
                self._connection.execute("DELETE FROM known WHERE day < ?", (today - _KEPT_DAYS,))
        except sqlite3.Error:
            self._connection.close()
            self._connection = None


def _text(claims: Iterable[Claim]) -> str:
    stored = [claim.finding and claim.finding.to_store() for claim in claims]
    return json.dumps(stored, ensure_ascii=False)


def _claims(text: str) -> list[Claim]:
    stored = json.loads(text)
    if not isinstance(stored, list):
        raise ValueError("answers are a list")
    return [Claim(None if one is None else Finding.from_store(one)) for one in stored]
