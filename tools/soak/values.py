"""Hostile values: what a number, a text or an array is replaced by."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

INTEGERS = (-1, 0, 1, 2, 7, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**32, 2**40, 2**63 - 1, -(2**63), 2**64, 10**30)
NUMBER_TEXTS = (
    *(str(value) for value in INTEGERS),
    *("1e308", "1e999", "nan", "inf", "-inf", "0x10", "1_000", "٣", "9" * 400, "", "1.5", "-0", "+1", "1e-400", "true"),
)
FRAGMENTS = (
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x1b[2J",
    b"\r",
    b"\n" * 50,
    b"\xed\xa0\x80",
    "\u202e\u2028\u0085".encode(),
    b"A" * 70_000,
    b"[" * 5_000,
    b'{"a":' * 5_000,
    b"<a>" * 5_000,
    b'<!DOCTYPE a [<!ENTITY b "' + b"c" * 500 + b'"><!ENTITY d "' + b"&b;" * 500 + b'">]>&d;',
    b"&amp;" * 100,
    b'<img src="/dev/zero">',
    b"=cmd|' /C calc'!A0",
)


def change_array(r: random.Random, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with other numbers, another dtype or another shape."""
    if array.dtype.names is not None:  # of an earlier change; records cannot be cast
        array = np.frombuffer(array.tobytes(), np.uint8)
    if array.ndim == 0 or (array.size and array.dtype.kind in "iu" and r.random() < 0.5):
        return _with_other_numbers(r, array)
    whole = array.dtype if array.dtype.kind in "iu" else np.dtype(np.int64)
    changes: tuple[Callable[[], NDArray[Any]], ...] = (
        lambda: array[: r.randrange(len(array) + 1)],
        lambda: np.concatenate([array, array[: r.choice((1, 2, 1000))]]),
        lambda: array.astype(r.choice(("<i8", ">i4", "<u8", "<u4", "<i2", "|u1", "<f8", "|b1", "<c16", "<U3"))),
        lambda: array.reshape(r.choice(((-1, 1), (1, -1), (1, 1, -1), (-1,))) if array.size else (0, 1)),
        lambda: np.array(r.choice((0, 1, np.iinfo(whole).max)), whole),
        lambda: np.array([(1, 2.0)], [("a", "<i4"), ("b", "<f8")]),
        lambda: array[::-1],
    )
    return r.choice(changes)()


def _with_other_numbers(r: random.Random, array: NDArray[Any]) -> NDArray[Any]:
    limits, changed = np.iinfo(array.dtype), array.copy()
    flat: NDArray[Any] = changed.reshape(-1)
    for _ in range(r.choice((1, 1, 1, 3, 50))):
        at = r.randrange(len(flat))
        near = int(flat[at]) + r.choice((-1, 1, 7))
        value = r.choice((*INTEGERS, 10_000_000, len(flat), len(flat) - 1, near, at, int(flat[r.randrange(len(flat))])))
        flat[at] = min(max(value, limits.min), limits.max)
    if r.random() < 0.1 and len(flat) > 2:
        a, b = r.sample(range(len(flat)), 2)  # two that name each other: a cycle, where they are parents
        flat[a], flat[b] = min(b, limits.max), min(a, limits.max)
    return changed
