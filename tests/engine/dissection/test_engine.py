"""The engine of a device makes the trees that a plain heap search finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pairs_checks import expected_matrix, shapes
from search_checks import make_network, random_arcs
from wayfront.devices import open_device
from wayfront.dissection.cutting import dissect
from wayfront.dissection.engine import CLOSED, Engine, make_engine
from wayfront.network.closing import checked_arcs, without_arcs
from wayfront.network.road_network import RoadNetwork


def new_engine(network: RoadNetwork, dtype: Any = np.int32) -> Engine:
    """Return an engine that is not customised yet."""
    return make_engine(open_device("cpu"), dissect(network), network, np.dtype(dtype))


def rows_of(engine: Engine, network: RoadNetwork, dtype: Any = np.int32) -> list[list[int]]:
    """Return all distances by ``trees``, -1 where there is no path, node by node."""
    n = network.node_count
    rows = np.empty((n, n), dtype)
    engine.trees(np.arange(n, dtype=np.int32), rows.reshape(-1), 1, n)
    found = rows.T
    answer: list[list[int]] = np.where(found == np.iinfo(dtype).max, -1, found).tolist()
    return answer


@pytest.mark.parametrize("name", ["random", "city-like", "disconnected", "zero weights", "no arcs", "one node"])
def test_trees_of_every_shape(name: str) -> None:
    network = shapes()[name]
    engine = new_engine(network)
    assert engine.customise(network.metrics[0].weights)
    expected = expected_matrix(network).tolist()
    assert rows_of(engine, network) == expected
    one = np.empty(network.node_count, np.int32)
    engine.tree(network.node_count - 1, one)
    assert np.where(one == np.iinfo(np.int32).max, -1, one).tolist() == expected[-1]


def test_closed_arcs_and_changed_weights() -> None:
    network = random_arcs(60, 190, 40, 1)
    engine = new_engine(network)
    assert engine.customise(network.metrics[0].weights)
    closed = checked_arcs(network, range(0, 190, 4))
    assert engine.change(closed, np.full(len(closed), CLOSED))
    assert rows_of(engine, network) == expected_matrix(without_arcs(network, closed)).tolist()
    assert engine.change(closed, network.metrics[0].weights[closed])
    assert rows_of(engine, network) == expected_matrix(network).tolist()


def test_a_dtype_that_is_too_narrow_is_refused() -> None:
    heavy = make_network(6, [(u, u + 1, 2**31 - 1) for u in range(5)])
    assert not new_engine(heavy).customise(heavy.metrics[0].weights)
    wide = new_engine(heavy, np.int64)
    assert wide.customise(heavy.metrics[0].weights)
    assert rows_of(wide, heavy, np.int64)[0] == [k * (2**31 - 1) for k in range(6)]
