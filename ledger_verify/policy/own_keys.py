"""Which fields of records repeat the keys of their paths."""

from __future__ import annotations

from ledger_verify.lang.environment import LedgerPattern
from ledger_verify.lang.typed import FieldOf, Variable
from ledger_verify.lang.types import RecordType, strip_null
from ledger_verify.policy.domain import Domain


def own_keys(domain: Domain, spec: LedgerPattern) -> tuple[str, ...]:
    """For each key of a pattern the field of its records that repeats it, or an empty name.

    What `key` declares counts; else the tools say so: `flights.{item.flight_number}`,
    `reservations.{args.reservation_id}`.
    """
    record = strip_null(spec.record)
    names = [name or "" for name in spec.key_fields] or [""] * len(spec.keys)
    if not isinstance(record, RecordType):
        return tuple(names)
    for tool in domain.tools.values():
        for observation in tool.observes:
            if observation.pattern == spec.text:
                for i, key in enumerate(observation.keys):
                    if isinstance(key, FieldOf) and isinstance(key.of, Variable):
                        fits = key.field_name in record.by_name
                        free = fits and key.field_name not in spec.key_fields
                        names[i] = names[i] or (key.field_name if free else "")
    return tuple(names)
