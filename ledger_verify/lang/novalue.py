"""The exception for an operation that has no value on its operands."""

from __future__ import annotations


class NoValue(Exception):
    """The operation has no value here (CEL calls this an error); `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TooFine(NoValue):
    """A time is given more exactly than to the microsecond."""
