"""What all tests share: Hypothesis profiles, the shared data, golden files."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from ledger_verify import Gate

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
SHARED_DATA = Path(
    os.environ.get("LEDGER_VERIFY_SHARED_DATA") or ROOT.parent / "shared" / "data"
).resolve()
"""Recorded conversations and conformance cases; may be absent. Tests take the fixture instead."""

settings.register_profile("local", deadline=None)
settings.register_profile("reproducible", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("reproducible" if os.environ.get("CI") else "local")

# A gate of which a test says nothing else has all the time that it needs: what the tests see does
# not depend on how busy the machine is.
assert Gate.__init__.__kwdefaults__ is not None
Gate.__init__.__kwdefaults__["explain_ms"] = None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the files in tests/golden instead of comparing with them",
    )


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests, and the programs that they start, keep no answers in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEDGER_VERIFY_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared data; the test is skipped where there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no shared data: `LEDGER_VERIFY_SHARED_DATA` or `../shared/data`")
    return SHARED_DATA


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` asserts that `text` is the content of `tests/golden/<name>`."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        if not path.is_file():
            pytest.fail(f"no golden file `{name}`: write it with `pytest --update-golden`")
        expected = path.read_bytes().decode()
        assert text == expected, f"differs from golden file `{name}`; `--update-golden` if intended"

    return compare
