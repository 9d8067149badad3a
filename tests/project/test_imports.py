"""Imports point one way, and z3 and pydantic stay where they belong."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "ledger_verify"
FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / PACKAGE).rglob("*.py"))

# layer -> the layers that it may import, besides itself
_SOURCE = frozenset({"lang"})
_SCHEMA = _SOURCE | {"source"}
_POLICY = _SCHEMA | {"schema"}
_LEDGER = _POLICY | {"policy"}
_EVALUATE = _LEDGER | {"ledger"}
_GATE = _EVALUATE | {"evaluate", "solver"}
_CHECKS = _GATE | {"gate"}
_CONVERSATION = _CHECKS
_ADAPTERS = _CHECKS | {"checks", "comparison", "conversation", "generate", "proofs"}
MAY_IMPORT: dict[str, frozenset[str]] = {
    "lang": frozenset(),
    "source": _SOURCE,
    "schema": _SCHEMA,
    "policy": _POLICY,
    "ledger": _LEDGER,
    "evaluate": _EVALUATE,
    "solver": _EVALUATE,
    "gate": _GATE,
    "checks": _CHECKS,
    "picture": _CHECKS | {"checks"},
    "proofs": _CHECKS | {"checks"},
    "comparison": _CHECKS | {"checks"},
    "generate": _CHECKS,
    "conversation": _CONVERSATION,
    "adapters": _ADAPTERS,
    "audit": _ADAPTERS,
    "cli": _ADAPTERS | {"adapters", "audit", "picture"},
}
# the front: `import ledger_verify` and `python -m ledger_verify`. It may import every layer.
FRONT = frozenset({"__init__", "__main__"})

# third-party module -> the only layers that may import it
HOMES = {
    "z3": frozenset({"solver"}),
    "pydantic": frozenset({"schema", "policy", "adapters", "audit", "cli"}),
}


def imported(tree: ast.AST, file: str) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything that `file` imports, at any depth."""
    package = Path(file).parent.parts
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package[: len(package) - level + 1] if level else ()
                source = ".".join([*above, *([module] if module else [])])
                yield from ((node.lineno, f"{source}.{alias.name}") for alias in names)


def violations(source: str, file: str) -> list[str]:
    """What is wrong with the imports of `file`, a path below the root, given its text."""
    own = Path(file).with_suffix("").parts[1]
    if own not in MAY_IMPORT and own not in FRONT:
        return [f"{file}: `{own}` is no layer: {', '.join(MAY_IMPORT)}"]
    allowed = frozenset(MAY_IMPORT) if own in FRONT else MAY_IMPORT[own] | {own}
    found = []
    for line, name in imported(ast.parse(source), file):
        top, _, rest = name.partition(".")
        if top in HOMES and own not in HOMES[top]:
            found.append(f"{file}:{line}: `{own}` imports `{top}`")
        layer = rest.partition(".")[0]
        if top == PACKAGE and layer not in allowed:
            target = layer if layer in MAY_IMPORT else name
            found.append(f"{file}:{line}: `{own}` imports `{target}`")
    return found


@pytest.mark.parametrize("file", FILES)
def test_imports_point_one_way(file: str) -> None:
    found = violations((ROOT / file).read_text(encoding="utf-8"), file)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("lang", "from ledger_verify.schema import types"),
        ("schema", "from ..policy import rule"),
        ("schema", "from .. import policy"),
        ("policy", "import ledger_verify.gate.decide"),
        ("ledger", "from ledger_verify.evaluate import kleene"),
        ("evaluate", "from ledger_verify import solver"),
        ("solver", "def f():\n    from ledger_verify.evaluate import kleene"),
        ("gate", "from ledger_verify.checks import dead_rule"),
        ("generate", "from ledger_verify.checks import dead_rule"),
        ("audit", "from ledger_verify.adapters import openai"),
        ("adapters", "from ledger_verify.audit import entry"),
        ("cli", "from ledger_verify import Gate"),
        ("gate", "import z3"),
        ("checks", "from z3 import Solver"),
        ("gate", "import pydantic"),
        ("helpers", ""),
    ],
)
def test_a_wrong_import_is_found(layer: str, source: str) -> None:
    assert len(violations(source, f"{PACKAGE}/{layer}/x.py")) == 1


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("solver", "import z3\nfrom ledger_verify.ledger import observe"),
        ("evaluate", "from ..ledger import observe"),
        ("generate", "from ledger_verify.gate import decide\nfrom . import witness"),
        ("cli", "from ledger_verify import audit, adapters\nimport pydantic"),
        ("lang", "from . import grammar\nfrom .tree import Node\nimport re"),
    ],
)
def test_a_right_import_is_not(layer: str, source: str) -> None:
    assert violations(source, f"{PACKAGE}/{layer}/x.py") == []


@pytest.mark.skipif(
    not (ROOT / PACKAGE / "gate" / "__init__.py").is_file(), reason="there is no gate yet"
)
def test_the_gate_does_not_load_z3() -> None:
    program = f"import sys, {PACKAGE}.gate; print('z3' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "False"), done.stderr
