"""Timestamps and durations as integer microseconds."""

from __future__ import annotations

import functools
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ledger_verify.lang.novalue import NoValue, TooFine

SECOND_US = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMESTAMP_MIN_US = -62_135_596_800 * SECOND_US
TIMESTAMP_MAX_US = 253_402_300_800 * SECOND_US - 1
_CYCLE_DAYS = 146_097  # in 400 years, a whole number of weeks
_CYCLE_US = _CYCLE_DAYS * 86_400 * SECOND_US
_NEAR_US = 3 * 86_400 * SECOND_US
DURATION_MAX_US = 315_576_000_000 * SECOND_US
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII
)
_UNITS_NS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
_UNITS_NS |= {"\u00b5s": 1000, "\u03bcs": 1000}  # micro sign and Greek mu
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|us|\u00b5s|\u03bcs|ns|m|s)", re.ASCII)
_OFFSET = re.compile(r"([+-]?)(\d\d):(\d\d)", re.ASCII)


def in_timestamp_range(microseconds: int) -> int:
    """The value itself; raises `NoValue` outside the years 1 to 9999."""
    if TIMESTAMP_MIN_US <= microseconds <= TIMESTAMP_MAX_US:
        return microseconds
    raise NoValue("timestamp outside the years 1 to 9999")


def in_duration_range(microseconds: int) -> int:
    """The value itself; raises `NoValue` beyond ten thousand years."""
    if -DURATION_MAX_US <= microseconds <= DURATION_MAX_US:
        return microseconds
    raise NoValue("duration beyond 10,000 years")


def parse_timestamp(text: str) -> int:
    """Microseconds since 1970 of an RFC 3339 text with an offset; raises `NoValue`."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise NoValue(f"`{text}` is not a timestamp such as `2024-05-15T15:00:00Z`")
    fraction = (match.group(7) or "").ljust(9, "0")
    if fraction[6:].strip("0"):
        raise TooFine(f"`{text}` is finer than a microsecond")
    offset = match.group(8)
    try:
        zone = UTC if offset == "Z" else _fixed_offset(offset)
        moment = datetime(*(int(match.group(i)) for i in range(1, 7)), tzinfo=UTC)  # type: ignore[misc, arg-type]
    except ValueError as problem:
        raise NoValue(f"`{text}` is not a timestamp: {problem}") from None
    shift = zone.utcoffset(None)
    assert shift is not None
    return in_timestamp_range(
        to_us(moment) + int(fraction[:6]) - shift // timedelta(microseconds=1)
    )


def to_us(moment: datetime) -> int:
    """Microseconds since 1970 of an aware datetime."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_us(microseconds: int, zone: tzinfo = UTC) -> datetime:
    """The aware datetime in `zone`; raises `NoValue` where the calendar ends."""
    try:
        return (_EPOCH + timedelta(microseconds=microseconds)).astimezone(zone)
    except OverflowError:
        raise NoValue("timestamp outside the years 1 to 9999") from None


def local_time(microseconds: int, zone: tzinfo) -> tuple[datetime, int]:
    """The datetime in `zone`, and how many years it lies before the moment: 400, 0 or -400.

    At the ends of the calendar, where local time would be in the year 0 or 10000, it is taken from
    a calendar of 400 years before or after, which is the same to the day of the week.
    """
    if microseconds > TIMESTAMP_MAX_US - _NEAR_US:
        return from_us(microseconds - _CYCLE_US, zone), 400
    if microseconds < TIMESTAMP_MIN_US + _NEAR_US:
        return from_us(microseconds + _CYCLE_US, zone), -400
    return from_us(microseconds, zone), 0


def offset_us(microseconds: int, zone: tzinfo) -> int:
    """The offset of the zone from UTC at a moment."""
    shift = local_time(microseconds, zone)[0].utcoffset()
    assert shift is not None
    return shift // timedelta(microseconds=1)


def format_timestamp(microseconds: int) -> str:
    """RFC 3339 in UTC, with as many decimals as needed."""
    moment = from_us(microseconds)
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}{fraction}Z"


def parse_duration(text: str) -> int:
    """Microseconds of a text such as `1h30m` or `-2.5s`; raises `NoValue`."""
    sign = -1 if text.startswith("-") else 1
    body = text[1:] if text[:1] in ("-", "+") else text
    if body == "0":
        return 0
    position, total_ns = 0, 0
    while position < len(body):
        match = _DURATION.match(body, position)
        if match is None:
            break
        amount, unit = match.groups()
        integer, _, decimals = amount.partition(".")
        if len(amount) > 40:
            raise NoValue(f"`{text}` has too many digits")
        scaled = int((integer or "0") + decimals) * _UNITS_NS[unit]
        if scaled % 10 ** len(decimals):
            raise TooFine(f"`{text}` is finer than a microsecond")
        total_ns += scaled // 10 ** len(decimals)
        position = match.end()
    if not body or position < len(body):
        raise NoValue(
            f"`{text}` is not a duration such as `24h` or `1h30m`; its units are `h`, `m`, `s`, "
            "`ms`, `us` and `ns`, and a day is `24h`"
        )
    if total_ns % 1000:
        raise TooFine(f"`{text}` is finer than a microsecond")
    return in_duration_range(sign * total_ns // 1000)


def format_duration(microseconds: int) -> str:
    """Seconds with as many decimals as needed, such as `5400s`."""
    sign = "-" if microseconds < 0 else ""
    seconds, rest = divmod(abs(microseconds), SECOND_US)
    fraction = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{sign}{seconds}{fraction}s"


@functools.lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo:
    """The time zone of an IANA name or an offset such as `+05:30`; raises `ValueError`."""
    if _OFFSET.fullmatch(name):
        return _fixed_offset(name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"unknown time zone `{name}` (an IANA name such as `America/New_York`; "
            "if the system lacks them, install `tzdata`)"
        ) from None


def _fixed_offset(text: str) -> tzinfo:
    match = _OFFSET.fullmatch(text)
    if match is None or int(match.group(2)) > 23 or int(match.group(3)) > 59:
        raise ValueError(f"bad offset `{text}`")
    shift = timedelta(hours=int(match.group(2)), minutes=int(match.group(3)))
    return timezone(-shift if match.group(1) == "-" else shift)


def time_part(microseconds: int, part: str, zone_name: str) -> int:
    """A calendar part of a timestamp, named by its CEL accessor, in a time zone.

    The local year of a moment in UTC's years 1 to 9999 may be 0 or 10000.
    """
    moment, years = local_time(microseconds, zone_named(zone_name))
    match part:
        case "getFullYear":
            return moment.year + years
        case "getMonth":
            return moment.month - 1
        case "getDate":
            return moment.day
        case "getDayOfMonth":
            return moment.day - 1
        case "getDayOfYear":
            return moment.timetuple().tm_yday - 1
        case "getDayOfWeek":
            return moment.isoweekday() % 7
        case "getHours":
            return moment.hour
        case "getMinutes":
            return moment.minute
        case "getSeconds":
            return moment.second
        case "getMilliseconds":
            return moment.microsecond // 1000
    raise AssertionError(part)


def days_between(start_us: int, end_us: int, zone_name: str) -> int:
    """From the local date of one moment to that of another, in days; negative if it is earlier."""
    return local_day(end_us, zone_name) - local_day(start_us, zone_name)


def local_day(microseconds: int, zone_name: str) -> int:
    """The number of the local date of a moment, 1970-01-01 being 0."""
    moment, years = local_time(microseconds, zone_named(zone_name))
    return moment.toordinal() - _EPOCH.toordinal() + years // 400 * _CYCLE_DAYS


TIME_PARTS = (
    "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfYear", "getDayOfWeek",
    "getHours", "getMinutes", "getSeconds", "getMilliseconds",
)  # fmt: skip
_DURATION_UNITS_US = {
    "getHours": 3600 * SECOND_US,
    "getMinutes": 60 * SECOND_US,
    "getSeconds": SECOND_US,
}
DURATION_PARTS = (*_DURATION_UNITS_US, "getMilliseconds")


def duration_part(microseconds: int, part: str) -> int:
    """A duration in whole hours, minutes or seconds, or its milliseconds below a second."""
    sign, size = (-1, -microseconds) if microseconds < 0 else (1, microseconds)
    if part == "getMilliseconds":
        return sign * (size % SECOND_US // 1000)
    return sign * (size // _DURATION_UNITS_US[part])
