"""CEL's conformance cases, where the shared data are."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.cel_conformance import judge, main, read_cases, summarise

ROOT = Path(__file__).resolve().parents[2]


def test_no_conformance_case_is_wrong(shared_data: Path) -> None:
    path = shared_data / "cel" / "conformance.json"
    if not path.is_file():
        pytest.skip("no conformance cases")
    summary = summarise(read_cases(path))
    assert summary["cases"] == []
    assert summary["right"] >= 345
    assert summary["right"] + summary["refused"] == 814


@pytest.mark.parametrize(
    ("case", "count"),
    [
        ({"expr": "1 + 1", "value": {"int": "2"}}, "right"),
        ({"expr": "1 + 1", "value": {"double": "2.0"}}, "wrong"),
        ({"expr": "1 + 1", "value": {"int": "3"}}, "wrong"),
        ({"expr": "1 + 1", "error": "any"}, "wrong"),
        ({"expr": "1 / 0", "error": "any"}, "right"),
        ({"expr": "1 / 0", "value": {"int": "0"}}, "wrong"),
        ({"expr": "1 + 'a'", "error": "no such overload"}, "right"),
        ({"expr": "1u", "value": {"uint": "1"}}, "refused"),
        ({"expr": "1u - 2u", "error": "range"}, "refused"),
        ({"expr": "1 +", "value": {"int": "1"}}, "wrong"),
        ({"expr": "x.a", "bindings": {"x": {"map": [[{"string": "a"}, {"int": "1"}]]}},
          "value": {"int": "1"}}, "right"),
        ({"expr": "x", "bindings": {"x": {"uint": "1"}}, "value": {"uint": "1"}}, "refused"),
        ({"expr": "x", "bindings": {"x": {"double": "inf"}}, "value": {"bool": True}}, "refused"),
        ({"expr": "x", "bindings": {"x": {"map": [[{"int": "1"}, {"int": "1"}]]}},
          "value": {"int": "1"}}, "refused"),
        ({"expr": "x + 0.2", "bindings": {"x": {"double": "0.1"}},
          "value": {"double": "0.30000000000000004"}}, "refused"),
        ({"expr": "a.b", "bindings": {"a.b": {"int": "1"}}, "value": {"int": "1"}}, "refused"),
        ({"expr": "y", "container": "x", "bindings": {"y": {"int": "1"}}, "value": {"int": "1"}},
         "refused"),
        ({"expr": "x", "bindings": {"x": {"duration": "1.5s"}}, "value": {"duration": "1.5s"}},
         "right"),
        ({"expr": "x", "bindings": {"x": {"list": [{"int": "1"}, {"string": "a"}]}},
          "value": {"int": "1"}}, "refused"),
    ],
)  # fmt: skip
def test_cases_are_judged_by_type_and_value(case: dict[str, object], count: str) -> None:
    assert judge(case).count == count


def test_exit_status_and_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "good.json"
    good.write_text(json.dumps([{"suite": "a", "expr": "1", "value": {"int": "1"}}]))
    assert main([str(good), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "right": 1,
        "refused": 0,
        "wrong": 0,
        "suites": {"a": {"right": 1, "refused": 0, "wrong": 0}},
        "cases": [],
    }
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps([{"suite": "a", "expr": "1", "value": {"int": "2"}}]))
    assert main([str(bad)]) == 1
    assert "expected" in capsys.readouterr().out
    for text in ("{", "{}", "[1]", '[{"expr": "1"}]'):
        bad.write_text(text)
        assert main([str(bad)]) == 2
    assert main([str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().out == ""


def test_it_runs_as_a_script(tmp_path: Path) -> None:
    script = ROOT / "benchmarks" / "cel_conformance.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "none.json")],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
