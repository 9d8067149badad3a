"""The domain of the checks' pages (`docs/checks.md`), with what an example adds to it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger_verify.checks.base.data import read_data
from ledger_verify.checks.running.report import Report
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.yaml_file import parse_yaml, yaml_text
from ledger_verify.source.json_file import parse_json

ROOT = Path(__file__).resolve().parents[2]
_POLICY = ("rules", "assumptions", "invariants")


def depot(example: Mapping[str, Any], folder: Path) -> Domain:
    """The domain in a folder of its own; keys of the example go to the file that has them.

    `tools` and `ledger` add to those of the domain (null takes one away), `$defs` to the types. An
    example without rules has no `ship`, which would need one.
    `templates` are rule templates of its own, by name.
    """
    files = {name: parse_yaml(_shown(f"depot/{name}.yaml"), name).data for name in _FILES}
    for key, value in example.items():
        if key in (*_POLICY, "templates"):
            continue
        kept = files["schema" if key == "$defs" else "domain"]
        kept[key] = _added(kept.get(key), value)
    if "rules" not in example and "ship" not in example.get("tools", {}):
        del files["domain"]["tools"]["ship"]
    files["policy"] = {key: example[key] for key in _POLICY if key in example}
    files |= {f"rules/{name}": data for name, data in example.get("templates", {}).items()}
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        if data:
            (folder / f"{name}.yaml").write_text(yaml_text(data), encoding="utf-8")
    return Domain.load(folder, lenient=True)


def checked(example: Mapping[str, Any], folder: Path) -> tuple[Domain, Report]:
    """The domain of an example, and what all checks find in it and in its `data`, if it has some
    (`map` says where in it records are).
    """
    domain = depot({key: example[key] for key in example if key not in _NOT_OF_DOMAIN}, folder)
    data = None
    if "data" in example:
        file = parse_json(json.dumps(example["data"], indent=1), "data.json")
        data = read_data(domain, [file], example.get("map", {}))
    return domain, run_checks([domain], data=data)[0]


_FILES = ("domain", "schema")
_NOT_OF_DOMAIN = frozenset({"also", "data", "finds", "map"})


def _added(known: Any, more: Any) -> Any:
    if not (isinstance(known, dict) and isinstance(more, dict)):
        return more
    return {key: value for key, value in {**known, **more}.items() if value is not None}


def _shown(name: str) -> str:
    """The file as the documentation shows it."""
    text = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- file: {re.escape(name)} -->\n```yaml\n(.*?)```", text, re.DOTALL)
    assert found, name
    return found[1]
