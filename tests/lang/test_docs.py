"""Every example of docs/language.md is run."""

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from ledger_verify.evaluate.kleene import Scope, Truth, evaluate, truth_of
from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import LedgerPattern, rule_environment
from ledger_verify.lang.errors import ExpressionError
from ledger_verify.lang.times import format_duration
from ledger_verify.lang.types import BOOL, DURATION, STRING, FieldType, RecordType, Type
from ledger_verify.ledger.store import Ledger
from ledger_verify.schema.coerce import coercer
from ledger_verify.schema.json_schema import type_from_schema

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
ZONE = ZoneInfo("America/New_York")


def _record(name: str, required: dict[str, Any], optional: dict[str, Any]) -> RecordType:
    schema = {"type": "object", "properties": {**required, **optional}, "required": [*required]}
    made = type_from_schema(schema, {}, name)
    assert isinstance(made, RecordType)
    return made


_TEXT, _WHOLE, _NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
_NULLABLE = {"type": ["string", "null"]}
_DATE, _TIME = {**_TEXT, "format": "date"}, {**_TEXT, "format": "date-time"}
_ITEM = {
    "type": "object",
    "properties": {"sku": _TEXT, "qty": _WHOLE, "price": _NUMBER},
    "required": ["sku", "qty", "price"],
}
ARGUMENTS = _record(
    "args",
    {"order_id": _TEXT, "amount": _NUMBER, "qty": _WHOLE, "reason": _NULLABLE, "day": _DATE},
    {"note": _TEXT},
)
ORDER = _record(
    "Order",
    {
        "status": _TEXT, "total": _NUMBER, "coupon": _NULLABLE, "created_at": _TIME,
        "items": {"type": "array", "items": _ITEM},
        "stock": {"type": "object", "additionalProperties": _WHOLE},
    },
    {"discount": _NUMBER},
)  # fmt: skip
USER = _record("User", {"id": _TEXT, "tier": _TEXT, "joined": _DATE, "email": _TEXT}, {})
PATTERNS = {
    "orders.*": LedgerPattern("orders.*", (STRING,), ORDER),
    "user": LedgerPattern("user", (), USER),
}
REFUND = RecordType("arguments of refund", (("order_id", FieldType(STRING)),))
ENVIRONMENT = rule_environment(ARGUMENTS, PATTERNS, "America/New_York", {"refund": REFUND})


def _plain(value: Any) -> Any:
    """YAML's dates and times back to the text that JSON has."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date | datetime) else value


def scope() -> Scope:
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block
    data = _plain(yaml.safe_load(block.group(1)))
    ledger = Ledger(PATTERNS)
    for path, raw in data["ledger"].items():
        name, _, key = path.partition(".")
        pattern = PATTERNS[f"{name}.*" if key else name]
        ledger.heard = tuple(data["heard"])
        ledger.put(pattern.text, (key,) if key else (), coercer(pattern.record, ZONE)(raw))
    now = coercer(type_from_schema(_TIME, {}), ZONE)(data["now"])
    for call in data["history"]:
        time = coercer(type_from_schema(_TIME, {}), ZONE)(call["time"])
        ledger.history.add(call["tool"], call["args"], call["verdict"], time, ok=call["ok"])
    arguments = coercer(ARGUMENTS, ZONE)(data["args"])
    return Scope(ledger, {"args": arguments, "call": data["call"], "now": now})


def examples() -> Iterator[tuple[str, str]]:
    """Each example with what its row says of it."""
    header: list[str] = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            header = []
        elif not header:
            header = cells
        elif "example" in header and not set(line) <= set("|-"):
            row = dict(zip(header, cells, strict=True))
            if row["example"]:
                text = row["example"].strip("`").replace("\\|", "|")
                said = row.get("value", f"load error: {row.get('load error')}")
                yield text, said


EXAMPLES = list(examples())


def shown(value: Any, type_: Type) -> str:
    truth = truth_of(value)
    if type_ == BOOL or truth is Truth.UNKNOWN:
        return truth.name
    if type_ == DURATION:
        return f"`{format_duration(value)}`"
    if isinstance(value, tuple | str):
        return f"`{json.dumps(value)}`"
    if isinstance(value, int | Fraction):
        return f"`{float(value) if isinstance(value, Fraction) else value}`"
    return truth.name


@pytest.mark.parametrize(("text", "said"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_an_example_is_as_the_page_says(text: str, said: str) -> None:
    if said.startswith("load error: "):
        with pytest.raises(ExpressionError) as caught:
            check_text(text, ENVIRONMENT)
        assert caught.value.message.startswith(said.removeprefix("load error: "))
        return
    expr = check_text(text, ENVIRONMENT)
    assert shown(evaluate(expr, scope()), expr.type) == said


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) > 80
    assert PAGE.count("| `") > 80
