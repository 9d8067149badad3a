"""Texts of random well-typed predicates over the domain of `values`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from tests.differential.values import DAYS, ORDER_IDS, SKUS

__all__ = ["DAYS", "ORDER_IDS", "SKUS", "predicate"]

_LEAVES: Mapping[str, tuple[str, ...]] = {
    "bool": (
        "true", "false", "args.flag", "{order}.gift", "{stock}.open", "has(args.note)",
        "session.staff", "has(session.level)",
    ),
    "int": (
        "0", "1", "2", "-1", "args.qty", "ledger.user.age", "{stock}.left", "{order}.counts.a",
        '{order}.counts["b"]', "9223372036854775807", "size({order}.items)",
        "session.level", "session.tenant.seats",
    ),
    "number": (
        "0.5", "99.99", "100.0", "args.amount", "ledger.user.balance", "{order}.total",
        "{order}.discount", "session.limit",
    ),
    "string": (
        '""', '"a"', '"gold"', '"open"', '"ab"', "args.order_id", "args.sku", "args.note",
        "args.reason", "ledger.user.tier", "ledger.user.email", "ledger.user.address.zip",
        "{order}.status", "{order}.coupon", "call.tool", "{order}.id",
        "session.user_id", "session.channel", "session.tenant.plan",
    ),
    "timestamp": (
        "now", "args.when", "args.day", "ledger.user.joined", "{order}.created_at",
        "session.since", "session.seen",
        'timestamp("2024-05-15T15:00:00Z")', 'timestamp("9999-12-31T23:59:59Z")',
    ),
    "duration": ('duration("24h")', 'duration("0s")', 'duration("-1h30m")', "(now - args.when)"),
    "list(string)": (
        "args.ids", "ledger.user.tags", '["gold", "a"]', '["o1", "o2", "o3"]',
        "ledger.user.address.lines", "[args.sku, {order}.status]", "session.roles",
    ),
    "list(int)": ("[0, 1, 2]", "[args.qty, 1]", "{order}.items.map(i, i.qty)"),
    "list(number)": ("[0.5, 1.5]", "{order}.items.map(i, i.price)"),
    "items": ("{order}.items",),
    "order": (
        "ledger.orders[args.order_id]", 'ledger.orders["o1"]', "ledger.orders.o2",
        "ledger.orders[session.user_id]",
    ),
    "stock": ('ledger.stock[args.sku][1]', 'ledger.stock["s2"][args.qty]', "ledger.stock.s1[2]"),
}  # fmt: skip
_ACCESSORS = (
    "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfYear", "getDayOfWeek",
    "getHours", "getMinutes", "getSeconds", "getMilliseconds",
)  # fmt: skip
_KEYS = ('"a"', '"gold"', '"open"')
_COMPARED = ("int", "number", "string", "timestamp", "duration")


def predicate(random: Random, size: int) -> str:
    """The text of a predicate of at most about `size` levels of operators; small ones abound."""
    return _Writer(random).boolean(random.randint(min(1, size), size))


class _Writer:
    """One method a type; each gives the text of an expression of that type."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: dict[str, list[str]] = {}
        self.count = 0

    def of(self, type_: str, size: int) -> str:
        written: dict[str, Callable[[int], str]] = {
            "bool": self.boolean,
            "int": self.integer,
            "number": self.number,
            "string": self.string,
            "timestamp": self.timestamp,
            "duration": self.duration,
            "list(string)": self.strings,
            "list(int)": self.ints,
            "list(number)": self.numbers,
            "items": self.items,
        }
        return written[type_](size)

    def leaf(self, type_: str) -> str:
        local = self.names.get(type_, [])
        if local and self.random.random() < 0.5:
            return self.random.choice(local)
        text = self.random.choice(_LEAVES[type_])
        for place in ("order", "stock"):
            if f"{{{place}}}" in text:
                text = text.replace(f"{{{place}}}", self.record(place))
        return text

    def record(self, place: str) -> str:
        keys = [*self.names.get("order key", []), *self.names.get("sku", [])]
        if keys and self.random.random() < 0.5:
            key = self.random.choice(keys)
            return f"ledger.orders[{key}]" if place == "order" else f"ledger.stock[{key}][1]"
        return self.random.choice(_LEAVES[place])

    def pick(self, type_: str, size: int, *choices: str) -> str:
        """One of the templates, `<type>` in it replaced by a smaller expression of that type."""
        if size <= 0 or self.random.random() < 0.15:
            return self.leaf(type_)
        text, out = self.random.choice(choices), ""
        while "<" in text and ">" in text:
            head, _, rest = text.partition("<")
            name, closing, tail = rest.partition(">")
            if not closing or name not in _LEAVES:
                break
            out += head + self.of(name, size - 1)
            text = tail
        return f"({out}{text})"

    def boolean(self, size: int) -> str:
        if size > 0:
            roll = self.random.random()
            if roll < 0.25:
                return self.compare(size)
            if roll < 0.45:
                return self.macro(size)
        return self.pick(
            "bool", size,
            "<bool> && <bool>", "<bool> || <bool>", "<bool> && <bool> && <bool>",
            "<bool> || <bool> || <bool>", "!<bool>", "<bool> ? <bool> : <bool>",
            "<bool> == <bool>", "<string> in <list(string)>", "<int> in <list(int)>",
            "<number> in <list(int)>", "<string>.startsWith(<string>)",
            "<string>.endsWith(<string>)", "<string>.contains(<string>)",
            '<string>.matches("^[a-o]+$")', f"has({self.record('order')}.discount)",
            "has(ledger.user.email)", f"observed({self.record_by_argument()})",
            "observed(ledger.user)", "observed(ledger.user.email)", "args.reason == null",
            f"observed({self.part_by_argument()})",
            f"{self.record('order')}.coupon != null", f"<string> in {self.record('order')}.counts",
            f"has({self.record('order')}.counts.b)", '<string> in {"gold": 1, "a": <int>}',
            "<string>.trim() == <string>", "<string>.lowerAscii() == <string>",
            '<string>.upperAscii().startsWith("A")', f"{self.map(size)} == {self.map(size)}",
            "<list(string)> == <list(string)>",
            "<list(int)> == <list(number)>",
            f"{self.record('order')} == {self.record('order')}",
            f"{self.record('order')}.counts != {self.record('order')}.counts",
            f"{self.record('order')} in [{self.record('order')}]",
            "ledger.user.address in [ledger.user.address]",
            "[<timestamp>, now].exists(moment, moment == <timestamp>)",
            f"{self.record('order')}.items == <items>",
        )  # fmt: skip

    def record_by_argument(self) -> str:
        return self.random.choice((*_LEAVES["order"], *_LEAVES["stock"], "ledger.user.address"))

    def part_by_argument(self) -> str:
        field_name = self.random.choice(("status", "total", "discount", "counts", "coupon"))
        return f"{self.random.choice(_LEAVES['order'])}.{field_name}"

    def compare(self, size: int) -> str:
        type_ = self.random.choice(_COMPARED)
        other = "int" if type_ == "number" and self.random.random() < 0.3 else type_
        operator = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
        return f"({self.of(type_, size - 1)} {operator} {self.of(other, size - 1)})"

    def macro(self, size: int) -> str:
        type_ = self.random.choice(("list(string)", "list(int)", "list(number)", "items", "map"))
        macro = self.random.choice(("all", "exists", "exists_one", "existsOne"))
        range_ = self.map(size) if type_ == "map" else self.of(type_, size - 1)
        names, body = self.inside(type_, "bool", size - 1, two=self.random.random() < 0.4)
        return f"{range_}.{macro}({names}, {body})"

    def map(self, size: int) -> str:
        """A map from texts to integers."""
        if self.random.random() < 0.6:
            return f"{self.record('order')}.counts"
        values = [self.of("int", size - 2) for _ in range(self.random.randint(1, 3))]
        return f"{{{', '.join(f'{key}: {v}' for key, v in zip(_KEYS, values, strict=False))}}}"

    def inside(
        self, range_type: str, type_: str, size: int, *, two: bool = False
    ) -> tuple[str, str]:
        """The variables of a macro over a range, and a body of a type."""
        name = f"x{self.count}" if self.random.random() < 0.8 else "x"
        first = f"i{self.count}" if self.random.random() < 0.8 else "i"
        self.count += 1
        saved = {kind: list(texts) for kind, texts in self.names.items()}
        for kind in self.names:  # a variable of that name further out is hidden
            hidden = (name, first) if two else (name,)
            self.names[kind] = [
                t for t in self.names[kind] if t not in hidden and t.split(".")[0] not in hidden
            ]
        known = {
            "list(string)": {"string": name, "order key": name},
            "map": {"string": first if two else name},
            "list(int)": {"int": name},
            "list(number)": {"number": name},
            "items": {
                "int": f"{name}.qty", "number": f"{name}.price", "string": f"{name}.note",
                "sku": f"{name}.sku",
            },
        }[range_type]  # fmt: skip
        for kind, text in known.items():
            self.names.setdefault(kind, []).append(text)
        if two:  # the position of an item, or the value under a key
            self.names.setdefault("int", []).append(name if range_type == "map" else first)
        body = self.of(type_, size)
        self.names = saved
        return f"{first}, {name}" if two else name, body

    def mapped(self, range_types: tuple[str, ...], type_: str, size: int) -> str:
        if self.random.random() < 0.3:
            return self.transformed((*range_types, "map"), type_, size)
        range_type = self.random.choice(range_types)
        range_ = self.of(range_type, size - 1)
        name, body = self.inside(range_type, type_, size - 1)
        return f"{range_}.map({name}, {body})"

    def transformed(self, range_types: tuple[str, ...], type_: str, size: int) -> str:
        range_type = self.random.choice(range_types)
        range_ = self.map(size) if range_type == "map" else self.of(range_type, size - 1)
        names, body = self.inside(range_type, type_, size - 1, two=True)
        if self.random.random() < 0.5:
            return f"{range_}.transformList({names}, {body})"
        first, _, second = names.partition(", ")
        low, high = self.random.choice(((0, 1), (1, 2), (0, 2)))
        held = (
            f'{first} != "a"' if range_type == "map" else f"{first} >= {low} && {first} <= {high}"
        )
        return f"{range_}.transformList({first}, {second}, {held}, {body})"

    def filtered(self, range_type: str, size: int) -> str:
        range_ = self.of(range_type, size - 1)
        name, body = self.inside(range_type, "bool", size - 1)
        return f"{range_}.filter({name}, {body})"

    def integer(self, size: int) -> str:
        return self.pick(
            "int", size,
            "<int> + <int>", "<int> - <int>", "<int> * <int>", "<int> / <int>", "<int> % <int>",
            "-<int>", "<int> + 9223372036854775807", "<int> * 4611686018427387904",
            "size(<string>)", "<list(string)>.size()", "size(<items>)", "int(<number>)",
            "<list(int)>[<int>]", "sum(<list(int)>)", "min(<int>, <int>)", "max(<list(int)>)",
            f"<timestamp>.{self.random.choice(_ACCESSORS)}()", '<timestamp>.getHours("UTC")',
            f"<duration>.{self.random.choice(_ACCESSORS[-4:])}()", "<bool> ? <int> : <int>",
            "days(<timestamp>, <timestamp>)", '{"gold": <int>, "open": <int>}[<string>]',
            '{"gold": 100, "a": 50, "": 7}[<string>]', f"size({self.map(size)})",
            'int(<bool> ? "12" : "x")', f"size({self.record('order')}.counts)",
        )  # fmt: skip

    def number(self, size: int) -> str:
        return self.pick(
            "number", size,
            "<number> + <number>", "<number> - <int>", "<number> * <number>", "<int> * <number>",
            "<number> / <number>", "-<number>", "<bool> ? <number> : <number>",
            "sum(<list(number)>)", "min(<list(number)>)", "max(<number>, <number>)",
            "<list(number)>[<int>]",
        )  # fmt: skip

    def string(self, size: int) -> str:
        return self.pick(
            "string", size,
            "<string> + <string>", "string(<int>)", "string(<bool>)", "<list(string)>[<int>]",
            "<bool> ? <string> : <string>", "string(<timestamp>)", "string(<duration>)",
            "string(args.amount)", "<string>.trim()", '(" " + <string>).trim()',
            "<string>.upperAscii()", "<string>.lowerAscii()", "<string>.normalize()",
            '{"a": <string>, "o1": "x"}[<string>]',
        )  # fmt: skip

    def timestamp(self, size: int) -> str:
        return self.pick(
            "timestamp", size,
            "<timestamp> + <duration>", "<timestamp> - <duration>", "<duration> + <timestamp>",
            "<bool> ? <timestamp> : <timestamp>", "timestamp(<int>)",
        )  # fmt: skip

    def duration(self, size: int) -> str:
        return self.pick(
            "duration", size,
            "<timestamp> - <timestamp>", "<duration> + <duration>", "<duration> - <duration>",
            "-<duration>", "<bool> ? <duration> : <duration>",
        )  # fmt: skip

    def strings(self, size: int) -> str:
        if size > 0 and self.random.random() < 0.3:
            if self.random.random() < 0.5:
                return self.filtered("list(string)", size)
            return self.mapped(("list(string)", "items", "list(int)"), "string", size)
        return self.pick(
            "list(string)", size,
            "<list(string)> + <list(string)>", "distinct(<list(string)>)", "[<string>, <string>]",
            "[<string>]",
        )  # fmt: skip

    def ints(self, size: int) -> str:
        if size > 0 and self.random.random() < 0.4:
            if self.random.random() < 0.4:
                return self.filtered("list(int)", size)
            return self.mapped(("list(string)", "items", "list(int)"), "int", size)
        return self.pick(
            "list(int)", size, "<list(int)> + <list(int)>", "distinct(<list(int)>)", "[<int>]"
        )

    def numbers(self, size: int) -> str:
        if size > 0 and self.random.random() < 0.4:
            if self.random.random() < 0.4:
                return self.filtered("list(number)", size)
            return self.mapped(("items", "list(int)"), "number", size)
        return self.pick("list(number)", size, "[<number>, <number>]", "[<number>]")

    def items(self, size: int) -> str:
        if size > 0 and self.random.random() < 0.4:
            return self.filtered("items", size)
        return self.leaf("items")
