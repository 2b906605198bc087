"""The benchmark of matrices: who takes turns, what is scaled, and that a wrong distance ends it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dissected import street_grid
from search_checks import make_network
from wayfront.benchmarks import matrices
from wayfront.benchmarks.matrices import benchmark_matrices
from wayfront.benchmarks.other_programs import OURS, Program, programs
from wayfront.safe.errors import CertificateError


@pytest.fixture(autouse=True)
def no_pandana(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_asked: Any) -> None:
        raise ImportError

    monkeypatch.setattr(matrices, "_pandana", missing)


def test_programs_take_turns_and_slow_ones_find_some_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "TURNS", 2)
    found = benchmark_matrices(street_grid(9, 8, 60, seed=5), (3, 200), seconds=1e-9)
    assert ("pandana", "it is not installed: pip install pandana (it is in no extra such as wayfront[benchmark])") in (
        found.left_out
    )
    by_size = {(one.program.split()[0], one.of): one for one in found.times}
    assert by_size[OURS, 200].done == 200 and by_size["SciPy", 200].done == 1
    slow = by_size["SciPy", 200]
    assert slow.median_ms == pytest.approx(200 * float(np.median(slow.runs_ms)))
    record = found.record()
    assert [one["origins"] for one in record["matrices"] if one["program"] == OURS] == [3, 200]
    assert all(one["rows_found"] <= one["origins"] for one in record["matrices"])


def test_a_wrong_distance_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    network = make_network(3, [(0, 1, 4), (1, 2, 5)])
    (scipy,) = (program for name, program in programs(network, network.metric()) if name == "SciPy")
    assert isinstance(scipy, Program)
    wrong = replace(scipy, distances=lambda found: scipy.distances(found) + 1)
    monkeypatch.setattr(matrices, "programs", lambda *_asked: [("SciPy", wrong)])
    with pytest.raises(CertificateError, match=r"SciPy .* and wayfront do not find the same"):
        benchmark_matrices(network, (3,), seconds=1.0)
    monkeypatch.setattr(
        matrices, "distance_matrix", lambda *_a, **_b: type("M", (), {"raw": np.zeros((3, 3), np.int32)})
    )
    with pytest.raises(CertificateError, match="wayfront does not find the distances"):
        benchmark_matrices(network, (3,), others=False)
