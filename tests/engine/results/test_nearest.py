"""Depots: the best of all choices, as a plain loop finds them."""

from __future__ import annotations

import threading
from itertools import combinations

import numpy as np
import pytest

from wayfront.results import nearest as depots
from wayfront.results.nearest import Aim, Depots, best_depots
from wayfront.safe.errors import NetworkError, SearchCancelled

FAR = np.iinfo(np.int32).max


def served(rows: np.ndarray, choice: tuple[int, ...]) -> tuple[int, int, int]:
    """Return unreached, total and largest of a choice of rows."""
    nearest = rows[list(choice)].min(axis=0).astype(np.int64)
    reached = nearest[nearest != np.iinfo(rows.dtype).max]
    return len(nearest) - len(reached), int(reached.sum()), int(reached.max(initial=0))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("seed", range(6))
def test_no_choice_is_better_than_the_one_that_is_found(
    dtype: type, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(depots, "_AT_ONCE", 16)
    chance = np.random.default_rng(seed)
    count, far = 1 + seed, np.iinfo(dtype).max
    rows: np.ndarray = chance.integers(0, 40, (count, 45)).astype(dtype)
    rows[chance.random(rows.shape) < 0.3] = far
    candidates = chance.permutation(100)[:count].tolist()
    found = best_depots(candidates, np.where(rows == far, -1, rows))
    assert sorted(found) == sorted((k, aim) for k in range(1, min(count, 3) + 1) for aim in Aim)
    for (k, aim), best in found.items():
        choice = tuple(candidates.index(node) for node in best.nodes)
        assert len(choice) == k and list(choice) == sorted(choice)
        assert served(rows, choice) == (best.unreached, best.total, best.largest)
        figures = [served(rows, other) for other in combinations(range(count), k)]
        swap = (0, 1, 2) if aim is Aim.TOTAL else (0, 2, 1)
        assert tuple(served(rows, choice)[i] for i in swap) == min(tuple(f[i] for i in swap) for f in figures)


def test_of_equal_choices_the_first_is_taken_and_sums_need_more_than_32_bits() -> None:
    rows = np.array([[FAR - 1, FAR - 1, 5]] * 3, np.int32)
    best = best_depots([8, 3, 5], rows)
    assert best[1, Aim.TOTAL] == best[1, Aim.LARGEST] == Depots((8,), 2 * (FAR - 1) + 5, FAR - 1, 0)
    assert best[2, Aim.TOTAL].nodes == (8, 3)
    assert best[1, Aim.TOTAL].mean(3) == pytest.approx((2 * (FAR - 1) + 5) / 3)


@pytest.mark.parametrize("candidates", [[], [4, 4], list(range(41))])
def test_candidates_are_few_and_different(candidates: list[int]) -> None:
    with pytest.raises(NetworkError, match="1 to 40 different nodes"):
        best_depots(candidates, np.zeros((len(candidates), 9), np.int32))


def test_choosing_stops_when_it_is_cancelled() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        best_depots([1], np.zeros((1, 9), np.int32), cancel=cancel)


def test_no_path_may_be_marked_as_in_all_pairs() -> None:
    rows = np.array([[0, FAR, 3], [4, 0, FAR]], np.int32)
    assert best_depots([0, 1], np.where(rows == FAR, -1, rows)) == best_depots([0, 1], rows)
