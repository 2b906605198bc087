"""Rows of text made of arrays, many at a time: tables of millions of nodes without a loop over them.

A row is a sequence of literal bytes and columns. The digits of a block of numbers are found together, by dividing all
of them by ten again and again; every cell gets the width of the widest, and a mask says which bytes are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 16
_ZERO, _POINT, _MINUS = b"0"[0], b"."[0], b"-"[0]

Cells = tuple[NDArray[np.uint8], NDArray[np.bool_]]
"""Bytes [rows, width], and which of them are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of numbers: whole numbers ``values`` [n] of 10 to the power of ``-decimals``; some may be missing."""

    values: NDArray[np.int64]
    decimals: int = 0
    missing: NDArray[np.bool_] | None = None

    @property
    def floats(self) -> NDArray[np.float64]:
        """The numbers themselves, NaN where one is missing, float64 [n]."""
        numbers = self.values / 10.0**self.decimals
        if self.missing is not None:
            numbers[self.missing] = np.nan
        return numbers

    def cells(self, rows: slice, absent: bytes) -> Cells:
        """Return some rows, with a text for what is missing."""
        values = self.values[rows]
        digits, kept = _digits(values, self.decimals)
        if self.missing is None:
            return digits, kept
        missing = self.missing[rows]
        kept &= ~missing[:, None]
        text, shown = _literal(absent, len(values))
        shown = shown & missing[:, None]
        return np.concatenate((digits, text), axis=1), np.concatenate((kept, shown), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of texts, "" for what is missing, each as it is to be written."""

    values: Sequence[str]

    def cells(self, rows: slice, absent: bytes) -> Cells:
        """Return some rows, with a text for what is missing."""
        texts = [text.encode("utf-8", "backslashreplace") or absent for text in self.values[rows]]
        cells = np.array(texts, np.bytes_)[:, None].view(np.uint8)
        return cells, cells != 0


Part = bytes | Numbers | Texts


def text_rows(parts: Sequence[Part], count: int, absent: bytes = b"") -> Iterator[bytes]:
    """Yield the text of ``count`` rows in blocks; ``absent`` is written for what is missing."""
    for begin in range(0, count, BLOCK):
        rows = slice(begin, min(begin + BLOCK, count))
        size = rows.stop - begin
        cells = [_literal(part, size) if isinstance(part, bytes) else part.cells(rows, absent) for part in parts]
        text = np.concatenate([each for each, _ in cells], axis=1)
        yield text[np.concatenate([kept for _, kept in cells], axis=1)].tobytes()


def _literal(text: bytes, rows: int) -> Cells:
    cells = np.broadcast_to(np.frombuffer(text, np.uint8), (rows, len(text)))
    return cells, np.broadcast_to(np.True_, cells.shape)


def _digits(values: NDArray[np.int64], decimals: int) -> Cells:
    """Return the decimal digits of whole numbers of 10 to the power of ``-decimals``, without needless zeros."""
    left = np.abs(values).astype(np.uint64)
    whole = max(len(str(int(left.max(initial=0)))) - decimals, 1)
    width = 1 + whole + (1 + decimals if decimals else 0)
    cells, kept = np.empty((len(values), width), np.uint8), np.zeros((len(values), width), np.bool_)
    some = np.zeros(len(values), np.bool_)
    for column in range(width - 1, width - 1 - decimals, -1):
        left, cells[:, column] = _last_digit(left)
        some |= cells[:, column] != _ZERO
        kept[:, column] = some
    if decimals:
        cells[:, 1 + whole], kept[:, 1 + whole] = _POINT, some
    for column in range(whole, 0, -1):
        kept[:, column] = (left > 0) | (column == whole)
        left, cells[:, column] = _last_digit(left)
    cells[:, 0], kept[:, 0] = _MINUS, values < 0
    return cells, kept


def _last_digit(numbers: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Return the numbers without their last digits, and these as characters."""
    tenths = numbers // np.uint64(10)
    return tenths, ((numbers - tenths * np.uint64(10)).astype(np.uint8) + np.uint8(_ZERO)).astype(np.uint8)
