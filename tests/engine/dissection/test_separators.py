"""Separators are the smallest there are: against networkx's flows."""

from __future__ import annotations

import networkx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from made_cuts import network_of_arcs
from wayfront.dissection.cut.flow import OPEN, SINKS, SOURCES, FlowCutter, separate_sets
from wayfront.dissection.cut.pieces import FIRST, SECOND, SEPARATOR, Pieces, whole


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
