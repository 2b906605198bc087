"""Text from strangers: what a terminal, a label or a spreadsheet would obey is shown instead."""

from __future__ import annotations

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfront.safe.text import csv_text, printable, spreadsheet_cell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Straße des 17. Juni", "Straße des 17. Juni"),
        ("Διόνυσος ≤ 東京 🚗", "Διόνυσος ≤ 東京 🚗"),
        ("C:\\maps\\new", "C:\\maps\\new"),
        ("\x1b]0;pwned\x07[red]x[/red]", "\\x1b]0;pwned\\x07[red]x[/red]"),
        ("\x9b31m", "\\x9b31m"),
        ("a\tb\r\nc", "a\\tb\\r\\nc"),
        ("\x7f", "\\x7f"),
        ("over\u202egnp.exe", "over\\u202egnp.exe"),
        ("\u2067x\u2069", "\\u2067x\\u2069"),
        ("one\u2028two\u2029three\x85four", "one\\u2028two\\u2029three\\x85four"),
        (os.fsdecode(b"caf\xe9.gr"), "caf\\xe9.gr"),
        ("\ud800", "\\ud800"),
        ("می‌روم", "می‌روم"),  # a joiner is part of Persian spelling
    ],
)
def test_what_would_be_obeyed_is_shown(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters(codec=None), max_size=40))
def test_any_text_becomes_one_line_that_can_be_encoded(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]
    assert not [c for c in shown if unicodedata.bidirectional(c) in {"LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI"}]
    assert printable(shown) == shown


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "-", "--1"]
)
def test_what_begins_like_a_formula_is_quoted(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "-1", "+1.5", "-2e-05", "-.5", "3", "a=b", "New York", "−1", "12:30"])
def test_numbers_and_plain_names_are_left_as_they_are(text: str) -> None:
    assert spreadsheet_cell(text) == text


def test_a_table_has_the_columns_of_all_its_rows_and_no_formula() -> None:
    rows: list[dict[str, object]] = [{"name": "=1+1", "count": 2}, {"name": 'a "b", c', "unit": "m"}]
    assert csv_text(rows) == 'name,count,unit\n\'=1+1,2,\n"a ""b"", c",,m\n'
