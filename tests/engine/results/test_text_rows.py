"""Rows of text made of arrays."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfront.results import node_files as module
from wayfront.results.node_files import Numbers, Texts, text_rows


def plain(value: int, decimals: int) -> str:
    """Return a number as Python writes it, without needless zeros."""
    text = f"{Decimal(value).scaleb(-decimals):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20), st.integers(0, 9))
def test_numbers_are_written_as_python_writes_them(values: list[int], decimals: int) -> None:
    column = Numbers(np.array(values, np.int64), decimals)
    written = b"".join(text_rows([column, b"\n"], len(values))).decode().splitlines()
    zero = [text.lstrip("-") if value == 0 else text for text, value in zip(written, values, strict=True)]
    assert zero == [plain(value, decimals) for value in values]


def test_what_is_missing_is_written_as_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 2)
    numbers = Numbers(np.array([7, -10, 3]), 1, np.array([False, False, True]))
    texts = Texts(["Zürich", "", "a"])
    assert b"".join(text_rows([b"<", texts, b"|", numbers, b">"], 3)).decode() == "<Zürich|0.7><|-1><a|>"
    assert b"".join(text_rows([texts, b" ", numbers, b";"], 3, b"null")).decode() == "Zürich 0.7;null -1;a null;"
    assert np.array_equal(numbers.floats, [0.7, -1.0, np.nan], equal_nan=True)


def test_no_rows_are_no_text() -> None:
    assert list(text_rows([b"x", Numbers(np.empty(0, np.int64))], 0)) == []
