"""A file of answers between runs, each under its question and sealed.

What an answer was computed from is its key (see `checks.base.kept`). A file that cannot be read or
written is done without, and so is an answer whose seal is not that of this user.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import time
from importlib import metadata
from pathlib import Path
from types import TracebackType

from ledger_verify.checks.running.seal import Seal, seal_of_this_user

_PARTS = ("checks", "evaluate", "gate", "lang", "ledger", "policy", "schema", "solver")
_KEPT_DAYS = 30
_DAY_S = 86_400


def cache_folder() -> Path:
    """`$LEDGER_VERIFY_CACHE`, or `ledger-verify` in the user's folder for caches."""
    own = os.environ.get("LEDGER_VERIFY_CACHE")
    if own:
        return Path(own)
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "ledger-verify"


def engine_name() -> str:
    """A name for the code that gives answers, so that no other code's answers are taken for its."""
    versions = f"{metadata.version('z3-solver')} {sys.version}"
    digest = hashlib.blake2b(versions.encode(), digest_size=16)
    package = Path(__file__).resolve().parents[2]
    for part in _PARTS:
        for path in sorted((package / part).rglob("*")):
            if path.suffix in (".py", ".lark"):
                digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


class AnswerCache:
    """A file of answers; use it in a `with` block, at the end of which new ones are written."""

    def __init__(self, folder: Path, seal: Seal | None = None) -> None:
        self._seal = seal or seal_of_this_user()
        self._new: dict[str, str] = {}
        self._connection: sqlite3.Connection | None = None
        if self._seal is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(folder / "answers.sqlite", timeout=5)
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute("DROP TABLE IF EXISTS known")  # of versions without seals
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS sealed"
                "(key TEXT PRIMARY KEY, answer TEXT, seal BLOB, day INTEGER)"
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
        self.write()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, key: str) -> str | None:
        """The answer of that key, None if there is none or its seal is another's."""
        if key in self._new:
            return self._new[key]
        if self._connection is None or self._seal is None:
            return None
        try:
            found = self._connection.execute(
                "SELECT answer, seal FROM sealed WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.Error:
            return None
        if found is None or not isinstance(found[0], str):
            return None
        return found[0] if self._seal.fits(found[1], key, found[0]) else None

    def put(self, key: str, answer: str) -> None:
        """Keep an answer."""
        self._new[key] = answer

    def write(self) -> None:
        """Write down what was kept since the last time."""
        if self._connection is None or self._seal is None or not self._new:
            return
        today = int(time.time()) // _DAY_S
        rows = [
            (key, answer, self._seal.of(key, answer), today) for key, answer in self._new.items()
        ]
        try:
            with self._connection:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO sealed VALUES (?, ?, ?, ?)", rows
                )
                self._connection.execute("DELETE FROM sealed WHERE day < ?", (today - _KEPT_DAYS,))
        except sqlite3.Error:
            self._connection.close()
            self._connection = None
        self._new.clear()
