"""Vectors of every width and type do, lane by lane, what NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from numpy.typing import NDArray

from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.vectors import (
    LANES_1,
    LANES_4,
    LANES_8,
    LANES_16,
    SHORT_INFINITY,
    Lanes,
    add,
    add_wide,
    choose_below,
    count_of,
    end_of_streams,
    get,
    keep_below,
    lanes_below,
    lanes_of_processor,
    load,
    load_short,
    load_spread,
    maximum,
    minimum,
    narrowed,
    prefetch,
    put,
    register_bytes,
    splat,
    splat_like,
    spreads_at_once,
    store,
    store_first,
    store_transposed,
    stream,
)

EDGE = -7
"""What lies round the part of an array that an operation may write."""


@njit(nogil=True, cache=True)
def _try_all(
    lanes: Any,
    first: Any,
    second: Any,
    short: Any,
    infinity: Any,
    mask: Any,
    results: Any,
    wide: Any,
    lines: Any,
    narrow: Any,
) -> int:
    """Put the result of each operation into a row of its own, from column 1 on; return the mask of lanes."""
    a, b, infinite = load(lanes, first, 1), load(lanes, second, 1), splat(lanes, infinity)
    store(results[0], 1, a)
    store(results[1], 1, infinite)
    store(results[2], 1, add(a, b))
    store(results[3], 1, minimum(a, b))
    store(results[4], 1, maximum(a, b))
    store(results[5], 1, keep_below(a, b))
    store(results[6], 1, load_short(infinite, short, 1))
    store_first(results[7], 1, a, 3)
    store_first(results[8], 1, a, 0)
    store_first(results[9], 1, a, 99)
    put(results[10], 1, get(first, 2))
    store(results[11], 1, load_spread(b, first, 1, mask))
    put(results[12], 1, count_of(lanes))
    store(results[13], 1, choose_below(a, b, splat_like(a, 7), b))
    add_wide(wide, 1, a)
    add_wide(wide, 1, b)
    stream(lines, 0, a)
    end_of_streams()
    store(narrow, 1, narrowed(a))
    prefetch(results[0], 1)
    return lanes_below(a, b)


def _bits(lanes: NDArray[np.bool_]) -> np.uint64:
    return np.uint64(sum(1 << lane for lane in np.flatnonzero(lanes).tolist()))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("lanes", [LANES_1, LANES_4, LANES_8, LANES_16], ids=lambda lanes: str(lanes.count))
def test_operations_equal_numpys(lanes: Lanes, dtype: type[np.signedinteger[Any]]) -> None:
    n = lanes.count
    rng = np.random.default_rng(n)
    infinity = dtype(np.iinfo(dtype).max // 2)
    first, second = rng.integers(-infinity, infinity, (2, n + 2), dtype=dtype)
    first[1] = 4711
    short = rng.integers(0, SHORT_INFINITY, n + 2).astype(np.uint16)
    short[1::3] = SHORT_INFINITY
    chosen = rng.random(n) < 0.6
    spread = second[1:-1].copy()
    spread[chosen] = first[1 : 1 + chosen.sum()]
    results, wide, lines = np.full((14, n + 2), EDGE, dtype), np.ones(n + 2, np.int64), aligned_empty(n, dtype)
    narrow = np.zeros(n + 2, np.uint16)
    below = _try_all(lanes, first, second, short, infinity, _bits(chosen), results, wide, lines, narrow)
    a, b = first[1:-1], second[1:-1]
    expected: list[NDArray[Any]] = [
        a,
        np.full(n, infinity),
        a + b,
        np.minimum(a, b),
        np.maximum(a, b),
        np.where(a < b, a, 0),
        np.where(short[1:-1] == SHORT_INFINITY, infinity, short[1:-1]),
        a[:3],
        a[:0],
        a,
        first[2:3],
        spread,
        np.array([n]),
        np.where(a < b, 7, b),
    ]
    for row, written in zip(results, expected, strict=True):
        whole = np.full(n + 2, EDGE, dtype)
        whole[1 : 1 + len(written)] = written
        np.testing.assert_array_equal(row, whole)
    assert int(below) == int(_bits(a < b))
    assert wide.tolist() == [1, *(1 + a.astype(np.int64) + b).tolist(), 1]
    assert lines.tolist() == a.tolist()
    assert narrow.tolist() == [0, *np.where((a < 0) | (a > SHORT_INFINITY), SHORT_INFINITY, a).tolist(), 0]


@njit(nogil=True, cache=True)
def _load_with_constant(array: Any, results: Any) -> None:
    store(results, 0, load(LANES_4, array, 3))


def test_a_number_of_lanes_may_be_a_constant_of_the_loops_module() -> None:
    array, results = np.arange(8, dtype=np.int32), np.zeros(4, np.int32)
    _load_with_constant(array, results)
    assert results.tolist() == [3, 4, 5, 6]


def test_elements_that_do_not_lie_side_by_side_are_refused() -> None:
    with pytest.raises(TypingError, match="load"):
        _load_with_constant(np.arange(16, dtype=np.int32)[::2], np.zeros(4, np.int32))


@pytest.mark.parametrize(
    ("features", "machine", "width"),
    [
        ({"avx512f", "avx2", "sse4.1"}, "x86_64", 64),
        ({"avx2", "sse4.1"}, "AMD64", 32),
        ({"sse4.1"}, "x86_64", 16),
        ({"neon"}, "aarch64", 16),
        (set(), "arm64", 16),
        ({"sse2"}, "x86_64", 0),
    ],
)
def test_register_width_follows_the_instruction_sets(features: set[str], machine: str, width: int) -> None:
    assert register_bytes(frozenset(features), machine) == width


def test_environment_decides_the_instruction_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront.dissection.host.vectors.config.CPU_FEATURES", "+sse4.1,+avx2,-avx512f")
    assert lanes_of_processor(np.int32) == LANES_8
    assert lanes_of_processor(np.int64) == LANES_4
    assert not spreads_at_once(LANES_8, np.int32)
    monkeypatch.setattr("wayfront.dissection.host.vectors.config.CPU_FEATURES", "+avx2,+avx512f")
    assert spreads_at_once(LANES_16, np.int32)
    assert spreads_at_once(LANES_8, np.int64)
    assert not spreads_at_once(LANES_4, np.int32)


@njit
def _write_transposed(lanes: Lanes, square: NDArray[Any], to: NDArray[Any], begins: NDArray[np.int64]) -> None:
    store_transposed(lanes, square, to, begins, 1, 2)


@pytest.mark.parametrize(("lanes", "dtype"), [(LANES_4, np.int64), (LANES_16, np.int32)])
def test_columns_of_a_square_go_where_they_are_wanted(lanes: Lanes, dtype: type) -> None:
    n = lanes.count
    square: NDArray[Any] = np.arange(n * n, dtype=dtype)
    to: NDArray[Any] = np.full(n * (n + 3), -1, dtype)
    begins = np.concatenate(([-1], np.random.default_rng(1).permutation(n) * (n + 3)))
    _write_transposed(lanes, square, to, begins)
    for j in range(n):
        assert to[begins[j + 1] :][: n + 3].tolist() == [-1, -1, *square[j::n].tolist(), -1]
