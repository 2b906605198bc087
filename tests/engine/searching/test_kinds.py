"""A search of another kind needs no exception anywhere: a toy search for all pairs, declared here, runs like any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import wayfront
from search_checks import make_network, plain_distances, random_arcs
from wayfront.devices import Ability
from wayfront.devices.device import Device
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import BaseResult, SearchKind
from wayfront.safe.errors import CertificateError, OptionError
from wayfront.safe.options import AUTO, Option
from wayfront.searching import registry
from wayfront.searching.certificate import certify
from wayfront.searching.execution import execute
from wayfront.searching.registry import algorithm, algorithms, find_algorithm
from wayfront.searching.run import BaseRun, Found, Progress, SearchOptions, Setting
from wayfront.trace.observing import Tracer
from wayfront.trace.schema import StepNote

NAME = "toy-floyd-warshall"


class AllPairsRun(BaseRun):
    """A matrix of distances, on the device; a step is one pivot."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.matrix = self.array("matrix", self.node_count**2, self.distance_dtype)

    def make_tracer(self, budget_bytes: int) -> Tracer:
        return Tracer(self, self.network.out_degrees(), 0, self.distance_dtype, budget_bytes)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AllPairsResult(BaseResult):
    """Distances [n, n] between all pairs, -1 where there is no way."""

    kind: ClassVar[SearchKind] = SearchKind.MANY_TREES
    matrix: NDArray[np.int64]

    def found(self) -> dict[str, Any]:
        return {"pairs_reached": int((self.matrix >= 0).sum())}


@certify.register(AllPairsResult)
def certify_all_pairs(result: AllPairsResult) -> None:
    for source, row in enumerate(result.matrix):
        if [None if d < 0 else d for d in row.tolist()] != plain_distances(result.network, source):
            raise CertificateError(f"row {source} is wrong")


@dataclass(frozen=True, slots=True)
class AllPairs:
    kind = SearchKind.MANY_TREES

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        return NAME

    def make_run(self, setting: Setting) -> AllPairsRun:
        return AllPairsRun(setting)

    def for_compiling(self) -> AllPairs:
        return self

    def finish(self, run: AllPairsRun) -> Found[AllPairsResult]:
        n = run.node_count
        values = run.device.get(run.matrix).reshape(n, n)
        matrix = np.where(values == run.infinity, -1, values.astype(np.int64))
        return Found(partial(AllPairsResult, matrix=matrix), transfer_ms=0.0, tree_ms=0.0)


def relax_over_pivot(i: int, n: int, pivot: int, infinity: int, matrix: Any) -> None:
    """Let row i try the way over the pivot."""
    first = matrix[i * n + pivot]
    if first == infinity:
        return
    for j in range(n):
        second = matrix[pivot * n + j]
        if second != infinity and first + second < matrix[i * n + j]:
            matrix[i * n + j] = first + second


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithms()  # imports those of the library, before the registry is replaced by a copy
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))

    @algorithm(
        name=NAME,
        title="Floyd–Warshall, toy",
        paper="Floyd 1962",
        family="All pairs",
        summary="Tries every node as a pivot.",
        phases=("pivot",),
        needs=Ability.HOST_LOOPS,
        options=(Option("pivots_at_once", int, AUTO, "Pivots between two yields.", bounds=(1, 99), automatic=True),),
        kind=SearchKind.MANY_TREES,
    )
    def toy_floyd_warshall(run: AllPairsRun) -> Iterator[int]:
        n, matrix = run.node_count, run.matrix
        square = matrix.reshape(n, n)
        square[:] = run.infinity
        np.minimum.at(square, (run.network.tails(), run.network.targets), run.metric.weights)
        square[np.arange(n), np.arange(n)] = 0
        for pivot in range(n):
            run.observer.expand_list(np.array([pivot], np.int32), 1)
            run.launch(relax_over_pivot, n, n, pivot, run.infinity, matrix)
            run.observer.step_done(matrix[:n], StepNote("all rows", "a pivot", "pivot", settled=pivot), None)
            yield 1


def all_pairs(network: RoadNetwork, **changes: Any) -> AllPairsResult:
    asked = SearchOptions(device="cpu", runs=1, verify=True, **changes)
    return execute(AllPairs(), network, asked)


def test_the_registry_distinguishes_kinds() -> None:
    assert find_algorithm(NAME).kind is SearchKind.MANY_TREES
    assert [a.name for a in algorithms(SearchKind.MANY_TREES)] == [NAME]
    assert NAME not in [a.name for a in algorithms(SearchKind.ONE_TREE)]
    assert {a.name for a in algorithms()} > {NAME, "dijkstra"}


def test_a_search_of_another_kind_goes_the_whole_way() -> None:
    network = random_arcs(30, 60, 20, 3)
    seen: list[Progress] = []
    result = all_pairs(network, progress=seen.append, trace_budget=1 << 20)
    assert result.verified
    assert len(result.timing.runs_ms) == 1
    summary = result.summary()
    assert (summary["algorithm"], summary["options"]) == (NAME, {"pivots_at_once": "auto"})
    assert summary["pairs_reached"] == (result.matrix >= 0).sum()
    assert "source" not in summary
    assert result.trace is not None
    assert result.trace.settled.tolist() == list(range(30))
    assert {progress.stage for progress in seen} <= {"tracing", "timing"}


def test_its_own_certificate_judges_it() -> None:
    result = all_pairs(make_network(3, [(0, 1, 2), (1, 2, 2)]))
    wrong = result.matrix.copy()
    wrong[0, 2] = 5
    with pytest.raises(CertificateError, match="row 0"):
        certify(replace(result, matrix=wrong))


def test_kinds_are_not_mixed_up() -> None:
    network = random_arcs(5, 9, 3, 1)
    with pytest.raises(OptionError, match="finds many trees; choose an algorithm that finds one tree"):
        wayfront.search(network, 0, NAME, "cpu", trace=True)
    with pytest.raises(OptionError, match="dijkstra finds one tree"):
        all_pairs(network, algorithm="dijkstra")


def test_nothing_is_counted_without_a_trace() -> None:
    network = random_arcs(30, 90, 9, 1)
    untraced = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace_budget=None)
    assert (untraced.steps, untraced.relaxations) == (None, None)
    assert (untraced.summary()["steps"], untraced.summary()["relaxations"]) == (None, None)
    traced = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace=True)
    assert traced.steps
    assert traced.relaxations
