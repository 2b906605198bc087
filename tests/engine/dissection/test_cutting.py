"""Networks of all kinds fall into cells whose separators are the smallest there are, and whose borders are right."""

from __future__ import annotations

import functools
import threading
import time
from types import SimpleNamespace

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ended_threads import left_running
from made_cuts import check_dissection, network_of, network_of_arcs
from wayfront.dissection.cut import cutting
from wayfront.dissection.cut import cutting as recursion
from wayfront.dissection.cut.cutting import dissect, expected_seconds
from wayfront.dissection.cut.flow import OPEN, SINKS, SOURCES, FlowCutter, separate_sets
from wayfront.dissection.cut.pieces import FIRST, SECOND, SEPARATOR, Pieces, whole
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.synthetic import from_name

GRAPHS = {
    "nothing": networkx.empty_graph(0),
    "one node": networkx.empty_graph(1),
    "no arcs": networkx.empty_graph(60),
    "path": networkx.path_graph(100),
    "star": networkx.star_graph(70),
    "complete": networkx.complete_graph(60),
    "bipartite": networkx.complete_bipartite_graph(40, 50),
    "ring": networkx.cycle_graph(90),
    "grid": networkx.grid_2d_graph(17, 19),
    "tree": networkx.balanced_tree(2, 7),
    "two components": networkx.disjoint_union(networkx.grid_2d_graph(9, 9), networkx.cycle_graph(30)),
    "islands": networkx.disjoint_union_all([networkx.path_graph(k % 7 + 1) for k in range(60)]),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_made_networks(graph: networkx.Graph) -> None:
    network = network_of(graph)
    cells = dissect(network)
    check_dissection(network, cells)
    assert (cells.method, cells.key) == ("coordinates", dissect(network_of(graph, map_seed=1)).key)


@given(
    arcs=st.integers(1, 120).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=4 * n)
        )
    ),
    map_seed=st.none() | st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_random_networks(arcs: tuple[int, list[tuple[int, int]]], map_seed: int | None) -> None:
    network = network_of_arcs(*arcs, map_seed=map_seed)
    check_dissection(network, dissect(network))


def test_parallel_arcs_and_loops_change_nothing() -> None:
    edges = list(networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(8, 8)).edges())
    plain = dissect(network_of_arcs(64, edges))
    doubled = dissect(network_of_arcs(64, [*edges, *((v, u) for u, v in edges), *edges[:20], (3, 3), (3, 3)]))
    for name in ("parent", "offsets", "node_at", "border"):
        assert getattr(plain, name).tolist() == getattr(doubled, name).tolist()


def test_threads_do_not_show_in_the_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LARGE", 300)
    network = from_name("synthetic:grid?rows=30&columns=30")
    cells = []
    for threads, alone in ((1, 2000), (1, 100), (3, 100)):  # large pieces are cut along several directions at a time
        monkeypatch.setattr(recursion, "_ALONE", alone)
        cells.append(dissect(network, threads=threads))
    for name in ("parent", "offsets", "node_at", "border_offsets", "border"):
        assert getattr(cells[0], name).tolist() == getattr(cells[1], name).tolist()
        assert getattr(cells[0], name).tolist() == getattr(cells[2], name).tolist()
    check_dissection(network, cells[0])


def test_cancelling_ends_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    network, cancel, before = from_name("synthetic:grid?rows=30&columns=30"), threading.Event(), threading.enumerate()
    dissect(network)  # what follows is no part of compiling
    cancel.set()
    monkeypatch.setattr(cutting, "LARGE", 300)
    with pytest.raises(SearchCancelled):
        dissect(network, threads=3, cancel=cancel)
    assert not left_running(before)


def test_progress_rises_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recursion, "_ALONE", 100)
    fractions: list[float] = []
    dissect(from_name("synthetic:grid?rows=40&columns=40"), progress=lambda _stage, done: fractions.append(done))
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_progress_rises_while_a_large_piece_is_cut() -> None:
    network, fractions = from_name("synthetic:grid?rows=20&columns=20"), list[float]()
    piece = whole(network.offsets, network.targets)
    cutter = FlowCutter(network.coordinates, 3 / network.node_count)
    labels = cutter.cut(piece, fractions.append)
    assert fractions == [(turn + 1) / 7 for turn in range(7)]
    assert labels.tolist() == cutter.cut(piece, None).tolist()


def test_compiling_is_said_before_the_first_cut_and_is_no_part_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def now() -> float:
        told.append("the clock is read")
        return 10.0 + len(told)

    monkeypatch.setattr(cutting, "time", SimpleNamespace(perf_counter=now, thread_time=time.thread_time))
    monkeypatch.setattr(cutting, "_compile", functools.cache(lambda: told.append("compiled")))
    for _ in range(2):
        dissect(from_name("synthetic:grid?rows=5&columns=4"), progress=lambda stage, _: told.append(stage))
    assert told[:3] == ["compiling", "compiled", "the clock is read"]
    assert told.count("compiling") == told.count("compiled") == 1


def test_long_cuts_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "expected_seconds", lambda *_: 200.0)
    stages: set[str] = set()
    dissect(from_name("synthetic:grid?rows=9&columns=9"), progress=lambda stage, _: stages.add(stage))
    assert stages - {"compiling"} == {"cutting, about 3 min"}
    assert expected_seconds(24_000_000, 16) > 60 > expected_seconds(264_346, 2)
    assert expected_seconds(24, 1) == 0


def test_what_does_not_fall_apart_is_refused() -> None:
    network = network_of(networkx.gnm_random_graph(400, 20_000, seed=1))
    dissect(network)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wayfront.dissection.cut.cutting.MOST_ADDITIONS", 1e6)
        with pytest.raises(NetworkError, match=r"made: it does not fall apart .*more than \d+ min: take another"):
            dissect(network)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wayfront.dissection.cut.cutting.available_bytes", lambda: 1000)
        with pytest.raises(NetworkError, match=r"about \d+ min and 0\.0 GB of memory"):
            dissect(network)


def test_coordinates_are_used() -> None:
    """A ladder whose rungs are broken falls apart across its length only by the map's directions."""
    network = from_name("synthetic:grid?rows=5&columns=60")
    separator = np.diff(dissect(network).offsets)[0]
    assert separator <= 5


@st.composite
def graphs(draw: st.DrawFn) -> Pieces:
    n = draw(st.integers(2, 40))
    node = st.integers(0, n - 1)
    network = network_of_arcs(n, draw(st.lists(st.tuples(node, node), max_size=3 * n)))
    return whole(network.offsets, network.targets)


def edges(graph: Pieces) -> list[tuple[int, int]]:
    tails = np.repeat(np.arange(len(graph.nodes)), np.diff(graph.starts))
    return list(zip(tails.tolist(), graph.targets.tolist(), strict=True))


def assert_parted(graph: Pieces, labels: NDArray[np.int8]) -> None:
    assert all({labels[u], labels[v]} != {FIRST, SECOND} for u, v in edges(graph))


@given(graphs(), st.data())
@settings(max_examples=100, deadline=None)
def test_flows_find_the_smallest_separators(graph: Pieces, data: st.DataObject) -> None:
    n = len(graph.nodes)
    order = data.draw(st.permutations(range(n)))
    count = data.draw(st.integers(1, n // 2))
    kind = np.full(n, OPEN, np.int8)
    kind[order[:count]], kind[order[n - count :]] = SOURCES, SINKS
    labels = np.empty(n, np.int8)
    starts, going_on = graph.starts.astype(np.int32), np.zeros(1, np.bool_)
    size = separate_sets(starts, graph.targets, kind, n, labels, going_on)
    assert_parted(graph, labels)
    assert set(labels[kind == SOURCES]) <= {FIRST, SEPARATOR}
    assert set(labels[kind == SINKS]) <= {SECOND, SEPARATOR}
    assert size == np.count_nonzero(labels == SEPARATOR) == _largest_flow(graph, kind)
    assert separate_sets(starts, graph.targets, kind, size - 1, labels, going_on) == (-1 if size else 0)


def _largest_flow(graph: Pieces, kind: NDArray[np.int8]) -> int:
    split = networkx.DiGraph()
    for v in range(len(kind)):
        split.add_edge(("in", v), ("out", v), capacity=1)
        if kind[v] == SOURCES:
            split.add_edge("source", ("in", v))
        if kind[v] == SINKS:
            split.add_edge(("out", v), "sink")
    split.add_edges_from((("out", u), ("in", v)) for u, v in edges(graph))
    return int(networkx.maximum_flow_value(split, "source", "sink"))


def test_a_stopped_cut_ends_with_labels_that_can_be_used() -> None:
    network = network_of_arcs(100, [(u, u + 1) for u in range(99)])
    cutter = FlowCutter(None, 0.0)
    cutter.stop()
    assert cutter.cut(whole(network.offsets, network.targets), None).tolist() == [FIRST] * 100
