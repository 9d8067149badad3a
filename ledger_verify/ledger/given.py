"""Records that are given by their paths, as in a ledger file or a case."""

from __future__ import annotations

from typing import Any

from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.absence import Listing
from ledger_verify.ledger.own_key import wrong_key
from ledger_verify.ledger.paths import parse_path, parse_place, path_text
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.identity import identity_of
from ledger_verify.schema.coerce import Coerce, Misfit, coercer


class Given:
    """Puts into a ledger of one domain what is said of its records."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._coercers: dict[str, Coerce] = {
            pattern.text: coercer(pattern.record, domain.zone) for pattern in domain.ledger.values()
        }

    def record(self, ledger: Ledger, path: str, raw: Any) -> None:
        """Store a record under its canonical path, as in a ledger file; raises `InputError`."""
        pattern, keys = parse_path(path, self._domain)
        try:
            value = self._coercers[pattern](raw)
        except Misfit as misfit:
            raise InputError(f"`{path}`: {misfit.message}") from None
        problem = wrong_key(self._domain, pattern, keys, value)
        if problem is not None:
            raise InputError(problem())
        if pattern in self._domain.identified:
            ledger.identities[pattern] = identity_of(self._domain.ledger[pattern], value)
        ledger.put(pattern, keys, value)

    def mark_stale(self, ledger: Ledger, path: str) -> None:
        """Mark a record, or a part of one, as stale by its path, as in a case.

        Raises `InputError` where there is no such part, or the ledger has no such record.
        """
        pattern, keys, within = parse_place(path, self._domain)
        if keys not in ledger.entries[pattern]:
            record = path_text(self._domain, pattern, keys)
            raise InputError(f"`{path}` is said to be stale, but the ledger has no `{record}`")
        ledger.touch(pattern, keys, within)

    def record_absent(self, ledger: Ledger, path: str) -> None:
        """Take note that there is no such record, as in a case; raises `InputError`."""
        pattern, keys = parse_path(path, self._domain)
        if keys in ledger.entries[pattern]:
            raise InputError(f"`{path}` is said to be absent, but the ledger has it")
        ledger.absences.state(pattern, Listing(keys))
