"""Hostile values: what a number, a text or a piece of JSON is replaced by."""

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
TEXTS = (
    "",
    "\0",
    "\x1b]0;title\x07",
    "../../etc/passwd",
    "synthetic:complete?nodes=30000",
    "synthetic:grid?columns=2147483647&rows=2147483647",
    "place:Nowhere",
    "/dev/zero",
    "\ud800",
    "<img src='/dev/zero'>",
    "=1+1",
    "[red]",
    "x" * 100_000,
    "\u202egnp.exe",
    "nan",
)


def json_value(r: random.Random) -> Any:
    """Return a value that a careless reader of JSON stumbles over."""
    kind = r.randrange(8)
    if kind == 0:
        return r.choice((None, True, False, [], {}, [[]], {"": 0}))
    if kind <= 3:
        return r.choice(INTEGERS)
    if kind == 4:
        return r.choice((0.5, -0.0, float("nan"), float("inf"), -1e308))
    if kind == 5:
        nested: Any = 0
        for _ in range(r.choice((3, 60, 200))):
            nested = [nested] if r.random() < 0.5 else {"a": nested}
        return nested
    return r.choice(TEXTS)


def change_json(r: random.Random, value: Any) -> Any:
    """Return the value with one part of it replaced, dropped, doubled or renamed."""
    places: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        here = pending.pop()
        if not isinstance(here, dict | list):
            continue
        for key in here if isinstance(here, dict) else range(len(here)):
            places.append((here, key))
            pending.append(here[key])
    if not places or r.random() < 0.02:
        return json_value(r)
    holder, key = r.choice(places)
    action = r.randrange(6)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif action == 1:
        holder[str(json_value(r))[:40]] = holder.pop(key)
    elif action == 2:
        other, at = r.choice(places)
        if (isinstance(other, dict) and at in other) or (isinstance(other, list) and at < len(other)):
            holder[key] = _copy_of(other[at])
    elif action == 3 and isinstance(holder[key], int) and not isinstance(holder[key], bool):
        holder[key] += r.choice((-1, 1, 2, 1000))
    else:
        holder[key] = json_value(r)
    return value


def _copy_of(value: Any) -> Any:
    """Return a copy, so that no value contains itself."""
    if isinstance(value, dict):
        return {key: _copy_of(each) for key, each in value.items()}
    return [_copy_of(each) for each in value] if isinstance(value, list) else value


def change_array(r: random.Random, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with other numbers, another dtype or another shape."""
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
