"""What the README tells a reader to run is what continuous integration runs."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_readme_and_ci_run_the_same_test_command() -> None:
    blocks = re.findall(
        r"<!-- test-command -->\s*```\w*\n(.*?)\n```\s*<!-- /?test-command -->",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert len(blocks) == 1, (
        "README.md needs one fenced block between `<!-- test-command -->` markers"
    )
    command = blocks[0].strip()
    assert "\n" not in command, "the test command is one line"
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
