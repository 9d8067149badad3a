"""The schema of the small domain that random predicates are about, and random records for it."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

ZONE_NAME = "America/New_York"
ZONE = ZoneInfo(ZONE_NAME)
ORDER_IDS = ("o1", "o2", "o3")
SKUS = ("s1", "s2")
DAYS = (1, 2)
WORDS = ("", "a", "ab", "b", "gold", "Straße")
AMOUNTS: tuple[int | float, ...] = (0, 1, -1, 2, 0.5, 99.99, 100, 0.1)
INTEGERS = (0, 1, -1, 2, 3, 10)
DATES = ("2024-03-10", "2024-05-15", "2024-11-03", "1999-12-31")
TIMES = (
    "2024-05-15T15:00:00", "2024-05-14T15:00:00-04:00", "2024-11-03T01:30:00",
    "2024-03-10T02:30:00", "2024-05-15T19:00:00.000001Z",
)  # fmt: skip
STATUSES = ("open", "paid", "cancelled")

_STRING = {"type": "string"}
_INT = {"type": "integer"}
_NUMBER = {"type": "number"}
_NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}
DEFINITIONS: Mapping[str, Any] = {
    "User": {
        "type": "object",
        "properties": {
            "id": _STRING,
            "tier": {"enum": ["gold", "silver", "regular"]},
            "balance": _NUMBER,
            "age": {"type": "integer", "minimum": 0, "maximum": 120},
            "email": _STRING,
            "tags": {"type": "array", "items": _STRING, "maxItems": 3},
            "joined": {"type": "string", "format": "date"},
            "address": {
                "type": "object",
                "properties": {"zip": _STRING, "lines": {"type": "array", "items": _STRING}},
                "required": ["zip", "lines"],
            },
        },
        "required": ["id", "tier", "balance", "age", "tags", "joined", "address"],
    },
    "Item": {
        "type": "object",
        "properties": {"sku": _STRING, "qty": _INT, "price": _NUMBER, "note": _NULLABLE},
        "required": ["sku", "qty", "price", "note"],
    },
    "Order": {
        "type": "object",
        "properties": {
            "id": _STRING,
            "status": {"enum": list(STATUSES)},
            "total": {"type": "number", "minimum": 0},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "maxItems": 3},
            "created_at": {"type": "string", "format": "date-time"},
            "discount": _NUMBER,
            "coupon": _NULLABLE,
            "gift": {"type": "boolean"},
            "counts": {"type": "object", "additionalProperties": _INT},
        },
        "required": ["id", "status", "total", "items", "created_at", "coupon", "gift", "counts"],
    },
    "Stock": {
        "type": "object",
        "properties": {"left": _INT, "open": {"type": "boolean"}},
        "required": ["left", "open"],
    },
    "Session": {
        "type": "object",
        "properties": {
            "user_id": _STRING,
            "roles": {"type": "array", "items": _STRING, "maxItems": 2},
            "limit": _NUMBER,
            "level": _INT,
            "since": {"type": "string", "format": "date"},
            "seen": {"type": "string", "format": "date-time"},
            "tenant": {
                "type": "object",
                "properties": {"plan": {"enum": ["gold", "open"]}, "seats": _INT},
                "required": ["plan"],
            },
            "channel": _NULLABLE,
            "staff": {"type": "boolean"},
        },
        "required": ["user_id", "roles", "limit", "tenant", "channel", "staff", "since"],
    },
    "Arguments": {
        "type": "object",
        "properties": {
            "order_id": _STRING,
            "sku": _STRING,
            "qty": _INT,
            "amount": _NUMBER,
            "note": _STRING,
            "reason": _NULLABLE,
            "when": {"type": "string", "format": "date-time"},
            "day": {"type": "string", "format": "date"},
            "ids": {"type": "array", "items": _STRING, "maxItems": 3},
            "flag": {"type": "boolean"},
        },
        "required": ["order_id", "sku", "qty", "amount", "reason", "when", "day", "ids", "flag"],
    },
}


def random_json(random: Random, name: str, keys: tuple[Any, ...]) -> Any:
    """A record of the type that `DEFINITIONS` calls `name`; an `id` is the record's key."""
    record = _value(random, {"$ref": f"#/$defs/{name}"}, name)
    if keys and "id" in record:
        record["id"] = keys[0]
    return record


def _value(random: Random, schema: Mapping[str, Any], name: str) -> Any:
    if "$ref" in schema:
        return _value(random, DEFINITIONS[schema["$ref"].rsplit("/", 1)[-1]], name)
    if "anyOf" in schema:
        return _value(random, random.choice(schema["anyOf"]), name)
    if "enum" in schema:
        return random.choice(schema["enum"])
    match schema["type"], schema.get("format"):
        case "string", "date":
            return random.choice(DATES)
        case "string", "date-time":
            return random.choice(TIMES)
        case "string", _:
            return random.choice(_words(name))
        case "integer", _:
            return max(random.choice(INTEGERS), schema.get("minimum", -10))
        case "number", _:
            return max(random.choice(AMOUNTS), schema.get("minimum", -10))
        case "boolean", _:
            return random.random() < 0.5
        case "array", _:
            length = random.randrange(schema.get("maxItems", 2) + 1)
            return [_value(random, schema["items"], name) for _ in range(length)]
        case "object", _:
            return _object(random, schema)
    return None


def _object(random: Random, schema: Mapping[str, Any]) -> dict[str, Any]:
    if "properties" not in schema:
        names = [name for name in ("a", "b", "gold") if random.random() < 0.5]
        return {name: _value(random, schema["additionalProperties"], name) for name in names}
    return {
        name: _value(random, below, name)
        for name, below in schema["properties"].items()
        if name in schema["required"] or random.random() < 0.6
    }


def _words(name: str) -> tuple[str, ...]:
    return {
        "order_id": ORDER_IDS, "ids": ORDER_IDS, "user_id": ORDER_IDS, "sku": SKUS,
    }.get(name, WORDS)  # fmt: skip
