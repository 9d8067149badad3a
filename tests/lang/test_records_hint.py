"""What the error of a wrong `records` proposes can be written."""

import re
from typing import Any

import pytest

from ledger_verify import Domain
from ledger_verify.lang.errors import InputError


def _load(path: str, call: str) -> Domain:
    record: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    return Domain.define(
        "hints",
        definitions={"O": record},
        ledger={path: "O"},
        tools={"act": {"kind": "write", "arguments": {"c": "string"}}},
        rules=[{"id": "r", "tools": ["act"], "require": f"size({call}) < 2"}],
    )


@pytest.mark.parametrize("path", ["orders.*", "orders.*.*", "a.orders.*.*.*"])
def test_the_hint_loads(path: str) -> None:
    with pytest.raises(InputError) as caught:
        _load(path, f"records(ledger.{path.split('.*')[0]}[args.c])")
    found = re.search(r"`(records\(.*?\))`", caught.value.hint or "")
    assert found
    assert _load(path, found[1]).rules


def test_a_path_with_a_key_inside_has_no_such_name() -> None:
    with pytest.raises(InputError) as caught:
        _load("a.*.orders.*", "records(ledger.a)")
    assert "records(" not in (caught.value.hint or "")
