"""The mark on messages that the gate wrote, so that nobody takes a refusal for a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger_verify.gate.verdict import Verdict
from ledger_verify.ledger.refusal_mark import MARK
from ledger_verify.source.json_file import parse_value
from ledger_verify.source.json_text import json_text

_TOLD = ("verdict", "message", "missing", "repair")


def refusal_text(call_id: str | None, verdict: Verdict) -> str:
    """What a refused call is answered with: JSON with the mark, verdict, reasons and advice."""
    told = verdict.to_json()
    details = {key: told[key] for key in _TOLD}
    return json_text({MARK: call_id, "executed": False, **details}, indent=None)


def refused_by(content: Any, call_id: str | None) -> str | None:
    """The verdict with which the content refuses the call of that id; None if it is no refusal.

    It is one only as the gate wrote it: what has other fields, or the id of another call, may be
    copied, or was changed. Its signs leave open what became of the call.
    """
    if isinstance(content, str):
        if MARK not in content:
            return None
        try:
            content = parse_value(content)
        except ValueError:
            return None
    if not isinstance(content, Mapping) or content.keys() != {MARK, "executed", *_TOLD}:
        return None
    verdict = content["verdict"]
    mine = (content[MARK] or None) == (call_id or None)
    refuses = content["executed"] is False and verdict in ("REVISE", "BLOCK")
    return verdict if mine and refuses else None
