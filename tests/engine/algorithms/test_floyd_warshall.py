"""Floyd–Warshall, plain and in tiles: sizes that no tile fits, distances near the largest number, steps, refusal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

import wayfront
from pairs_checks import check_pairs
from search_checks import make_network, random_arcs
from there import there
from wayfront.kernels.arithmetic import lesser_sum
from wayfront.safe.errors import DeviceMemoryError

PLAIN, BLOCKED = "floyd-warshall", "floyd-warshall-blocked"


@njit
def compiled_lesser_sum(known: Any, first: Any, second: Any) -> Any:
    return lesser_sum(known, first, second)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("form", [lesser_sum, compiled_lesser_sum])
def test_sums_beyond_the_largest_distance_are_never_less_than_it(form: Any, dtype: type) -> None:
    largest = np.iinfo(dtype).max
    cases = [(largest, largest, largest), (largest, largest, 1), (largest, largest - 1, 1), (7, largest, 0), (7, 3, 3)]
    found = [int(form(dtype(known), dtype(first), dtype(second))) for known, first, second in cases]
    assert found == [largest, largest, largest, 7, 6]


@pytest.mark.parametrize(
    ("name", "options", "threads"),
    [
        *((PLAIN, {}, 1), (PLAIN, {"rows": 7}, 2)),
        *((BLOCKED, {"tile": 32}, 2), (BLOCKED, {"tile": 64}, 1), (BLOCKED, {}, 1)),
    ],
)
def test_no_size_has_to_fit(name: str, options: dict[str, Any], threads: int) -> None:
    for n, arcs in ((64, 200), (129, 260), (300, 1500)):
        network = random_arcs(n, arcs, 1000, n)
        check_pairs(
            wayfront.all_pairs(
                network, name, "cpu", keep="matrix", options=options, threads=threads, runs=0, trace=True
            )
        )


@pytest.mark.parametrize("name", [PLAIN, BLOCKED])
def test_distances_that_outgrow_32_bits_are_found_in_64(name: str) -> None:
    most = 2**31 - 1
    for last, dtype in ((most - 2, np.int32), (most - 1, np.int64), (most, np.int64)):
        network = make_network(5, [(0, 1, 1), (1, 2, last), (2, 2, 0), (3, 0, most)])
        result = wayfront.all_pairs(network, name, "cpu", keep="matrix", sources=[0, 1])
        assert result.matrix.tolist() == [[0, 1, last + 1, -1, -1], [-1, 0, last, -1, -1]]
        assert result.matrix.dtype == dtype


def test_a_step_is_a_pivot_and_then_a_batch_of_sources() -> None:
    network = random_arcs(40, 100, 9, 1)
    trace = there(wayfront.all_pairs(network, PLAIN, "cpu", sources=[7, 3], runs=0, trace=True).trace)
    assert [step.frontier.tolist() for step in trace] == [*([pivot] for pivot in range(40)), [3, 7]]
    assert trace.improved.tolist() == [*[0] * 40, 2]


def test_a_pivot_tile_is_three_steps() -> None:
    trace = there(
        wayfront.all_pairs(random_arcs(40, 100, 9, 1), BLOCKED, "cpu", options={"tile": 32}, runs=0, trace=True).trace
    )
    phases = ["pivot tile", "pivot row and column", "rest"]
    assert [step.note.phase for step in trace] == [*phases, *phases, "deliver rows"]
    assert [step.frontier.tolist() for step in trace][:4] == [*[list(range(32))] * 3, list(range(32, 40))]


@pytest.mark.parametrize("name", [PLAIN, BLOCKED])
def test_a_matrix_that_does_not_fit_is_refused_with_its_size(name: str) -> None:
    with pytest.raises(DeviceMemoryError, match=r"takes 3,610\.\d GB on cpu"):
        wayfront.all_pairs(make_network(950_000, []), name, "cpu", sources=[0], runs=0, trace=True)
