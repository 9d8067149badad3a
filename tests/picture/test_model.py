"""What is in a picture, and what is left out."""

from ledger_verify.picture.model import Column, Kind, picture
from tests.picture.samples import findings, many, small


def test_the_columns_and_what_is_left_out() -> None:
    drawn = picture(small())
    names = {column: [box.name for box in drawn.boxes if box.column is column] for column in Column}
    assert names == {
        Column.READ: ["find_user", "get_user", "get_order"],
        Column.PATH: ["user", "orders.*"],
        Column.RULE: ["order_is_paid", "good_user"],
        Column.WRITE: ["refund", "greet", "pay"],
    }


def test_the_arrows() -> None:
    drawn = picture(small())
    arrows = {
        (drawn.boxes[a.source].name, drawn.boxes[a.target].name, a.kind, a.label)
        for a in drawn.arrows
    }
    evidence = {
        ("find_user", "user"),
        ("get_user", "user"),
        ("get_order", "orders.*"),
        ("orders.*", "order_is_paid"),
        ("user", "good_user"),
        ("order_is_paid", "refund"),
        ("good_user", "refund"),
        ("good_user", "greet"),
    }
    assert arrows == {
        *((a, b, Kind.EVIDENCE, "") for a, b in evidence),
        ("orders.*", "get_user", Kind.ARGUMENT, "user_id"),
        ("refund", "orders.*", Kind.STALE, ""),
        ("pay", "orders.*", Kind.STALE, ""),
    }


def test_findings_mark_what_they_name() -> None:
    marked = {box.name: (box.severity, box.note) for box in picture(small(), findings()).boxes}
    assert marked["greet"] == ("error", "LV101")
    assert marked["good_user"] == ("error", "LV101")
    assert marked["pay"] == ("warning", "the person's, LV305")
    assert marked["orders.*"] == ("warning", "Order, LV305")
    assert marked["refund"] == marked["order_is_paid"] == ("", "")


def test_an_error_outweighs_a_warning() -> None:
    error, warning, _ = findings()
    both = [warning, error, error.__class__(**{**vars(warning), "rules": ("good_user",)})]
    (box,) = [box for box in picture(small(), both).boxes if box.name == "good_user"]
    assert (box.severity, len(box.findings)) == ("error", 2)


def test_a_thousand_rules() -> None:
    drawn = picture(many(1000))
    assert len(drawn.boxes) == 1030
    assert len([a for a in drawn.arrows if a.kind is Kind.EVIDENCE]) == 10 + 1000 + 1000
