"""Every kind of bad domain file: the error names file, line, column, what is wrong, the remedy."""

from pathlib import Path

import pytest

from ledger_verify import Domain
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.yaml_file import read_yaml
from tests.policy.folders import DOMAIN, POLICY, SCHEMA, TEMPLATE, load, write

TEXTS = {"domain": DOMAIN, "schema": SCHEMA, "policy": POLICY, "template": TEMPLATE}
USE = """\
rules:
  - use: owned
    tools: [cancel]
    with: {owner: "ledger.orders[args.order_id].owner"}
"""

CASES = read_yaml(Path(__file__).with_name("bad_files.yaml")).data


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['file']}-{case['new']!r}"[:60])
def test_the_error_of_a_bad_file(case: dict[str, str], tmp_path: Path) -> None:
    name, old, new = case["file"], case["old"], case["new"]
    assert old in TEXTS[name]
    texts = dict(TEXTS)
    if name == "template":
        texts["policy"] = USE
    texts[name] = TEXTS[name].replace(old, new, 1)
    with pytest.raises(InputError) as caught:
        load(tmp_path, **texts)
    error = caught.value
    file = "rules/owned.yaml" if name == "template" else f"{name}.yaml"
    assert error.location is not None
    assert error.location.file == str(tmp_path / file), error
    assert case["message"] in error.message, error
    assert case.get("hint", "").replace("HERE", str(tmp_path)) in (error.hint or ""), error
    lines = texts[name].splitlines(keepends=True)
    offset = sum(map(len, lines[: error.location.line - 1])) + error.location.column - 1
    at = texts[name][offset:]
    assert at.startswith(case.get("at", "")), (error, at[:40])
    str(error).encode()


def test_the_files_themselves_are_fine(tmp_path: Path) -> None:
    domain = load(tmp_path)
    assert [rule.id for rule in domain.rules] == ["mine"]
    assert [invariant.id for invariant in domain.invariants] == ["never_big"]
    assert [always.id for always in domain.always] == ["never_bigger"]
    (effect,) = domain.tools["cancel"].effects
    assert (effect.pattern, effect.within) == ("orders.*", ("state",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("- a\n- b\n", "the file"),
        ("just text\n", "the file"),
        ("a: &x [*x]\n", "too deeply"),
        ("a: " + "[" * 3000 + "\n", "too deeply"),
        ("? [a]\n: b\n", "a key must be a plain value"),
        ("a: !!python/name:os.system x\n", "malformed YAML"),
        ("a: \t\x01\n", "malformed YAML"),
    ],
)
@pytest.mark.parametrize("name", ["domain", "schema", "policy"])
def test_a_file_that_is_something_else(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, **{name: text})
    assert message in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.file.endswith(f"{name}.yaml")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    load(tmp_path)
    (tmp_path / "policy.yaml").write_bytes(b"rules:\n  - \xff")
    with pytest.raises(InputError, match=r"not UTF-8: .* at byte 11") as caught:
        Domain.load(tmp_path)
    where = caught.value.location
    assert where is not None
    assert (Path(where.file).name, where.line, where.column) == ("policy.yaml", 2, 5)


def test_a_link_to_nowhere_is_no_missing_file(tmp_path: Path) -> None:
    load(tmp_path)
    (tmp_path / "policy.yaml").unlink()
    (tmp_path / "policy.yaml").symlink_to("elsewhere.yaml")
    with pytest.raises(InputError, match=r"cannot read .*policy.yaml`: No such file"):
        Domain.load(tmp_path)


def test_a_folder_without_a_domain(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no `domain.yaml`"):
        Domain.load(tmp_path)
    with pytest.raises(InputError, match="no domain or folder `airlin`") as caught:
        Domain.load("airlin")
    assert caught.value.hint == "did you mean `airline`?"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("user: User", "user: User", "unknown type `User`"),
        ("user: User", "user: {$ref: '#/$defs/User'}", "`$ref` to unknown type `#/$defs/User`"),
        ("user: User", "user: {type: array, items: {$ref: '#/$defs/U'}}", "`#/$defs/U`"),
        ("user: User", "user: Member", "unknown type `Member`"),
        ("user: User", "user: number\n  all: Member[]", "unknown type `Member`"),
        ("user: User", "user: 'Member?'", "unknown type `Member`"),
    ],
)
def test_a_type_without_a_file_of_types(old: str, new: str, told: str, tmp_path: Path) -> None:
    write(tmp_path, domain=DOMAIN.replace(old, new))
    (tmp_path / "schema.yaml").unlink()
    with pytest.raises(InputError) as caught:
        Domain.load(tmp_path)
    assert told in caught.value.message
    assert caught.value.hint == "there is no `schema.yaml`; types are declared there"


def test_a_type_is_misspelt_where_there_is_no_file_of_types(tmp_path: Path) -> None:
    write(tmp_path, domain=DOMAIN.replace("user: User", "user: strng"))
    (tmp_path / "schema.yaml").unlink()
    with pytest.raises(InputError) as caught:
        Domain.load(tmp_path)
    assert (caught.value.hint or "").startswith("did you mean `string`? there is no `schema.yaml`")


@pytest.mark.parametrize("name", ["schema", "policy"])
def test_a_file_with_another_ending_is_not_passed_over(name: str, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / f"{name}.yaml").rename(tmp_path / f"{name}.yml")
    with pytest.raises(InputError, match=f"`{name}.yml` is not read") as caught:
        Domain.load(tmp_path)
    assert str(caught.value.location) == f"{tmp_path / name}.yml:1:1"


def test_keys_of_a_pattern_must_agree(tmp_path: Path) -> None:
    other = """\
  get_by_number:
    kind: read
    arguments: {number: integer}
    observes: {"orders.{args.number}": result}
"""
    with pytest.raises(InputError) as caught:
        load(tmp_path, domain=DOMAIN + other)
    assert "`get_by_number` keys `orders.*` by (int), `get_order` by (string)" in str(caught.value)
    assert caught.value.location is not None
    assert DOMAIN.count("\n") + 4 == caught.value.location.line
