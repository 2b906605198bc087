"""Fronts folded on the processor hold the distances inside subtrees: for every vector width, and after changes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wayfront
from dissected import street_grid
from search_checks import make_network
from wayfront import RoadNetwork
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.host.elimination import HostFronts, infinity_of
from wayfront.dissection.host.order import SMALL_SUBTREE, SPARE, HostOrder, HostTables
from wayfront.dissection.host.vectors import LANES_1, LANES_4, LANES_8, LANES_16, Lanes
from wayfront.dissection.shape import FrontLayout
from wayfront.dissection.store import keep_dissection
from wayfront.synthetic import from_name

KINDS = [
    pytest.param(lanes, dtype, id=f"{lanes.count} lanes of {np.dtype(dtype)}")
    for lanes, dtype in [
        (LANES_16, np.int32),
        (LANES_4, np.int32),
        (LANES_1, np.int32),
        (LANES_8, np.int64),
    ]
]
Fronts = dict[str, list[NDArray[Any]]]


@functools.cache
def made(name: str) -> tuple[RoadNetwork, FrontLayout, HostOrder]:
    if name == "two grids":
        network = street_grid(20, 18, 60, seed=1)
    elif name == "a path":
        network = make_network(300, [(u, u + 1, 1) for u in range(299)])
    else:
        network = from_name(name)
    cut = dissect(network)
    return network, FrontLayout.of(cut, network), HostOrder.of(cut)


def expected_fronts(network: RoadNetwork, layout: FrontLayout, weights: NDArray[Any], infinity: int) -> Fronts:
    """Return L and R of each cell from the distances between all nodes of its subtree and border, found by pivots."""
    cut = layout.dissection
    tails, heads = cut.position[network.tails()], cut.position[network.targets]
    found: Fronts = {"l": [], "r": []}
    for cell in range(cut.cell_count):
        border = cut.border[cut.border_offsets[cell] : cut.border_offsets[cell + 1]]
        nodes = np.concatenate([np.arange(cut.offsets[cell], cut.offsets[cut.end[cell]]), border])
        index = np.full(network.node_count, -1)
        index[nodes] = np.arange(len(nodes))
        inside = (layout.cell_of_arc >= cell) & (layout.cell_of_arc < cut.end[cell]) & (weights >= 0)
        distances = np.full((len(nodes), len(nodes)), infinity, np.int64)
        np.minimum.at(distances, (index[tails[inside]], index[heads[inside]]), weights[inside])
        np.fill_diagonal(distances, 0)
        for pivot in range(len(nodes) - len(border)):
            distances = np.minimum(distances, distances[:, pivot : pivot + 1] + distances[pivot])
        own = cut.offsets[cell + 1] - cut.offsets[cell]
        front = np.r_[0:own, len(nodes) - len(border) : len(nodes)]
        found["l"].append(np.minimum(distances[front[own:]][:, :own], infinity))
        found["r"].append(np.minimum(distances[:own][:, front], infinity))
    return found


def check(fronts: HostFronts, expected: Fronts) -> None:
    cut, order = fronts.layout.dissection, fronts.order
    for cell in range(cut.cell_count):
        down, up = expected["l"][cell].ravel(), expected["r"][cell].ravel()
        found = fronts.made.leaf_l if cut.is_leaf[cell] else fronts.made.inner_l
        np.testing.assert_array_equal(found[order.l_offset[cell] :][: len(down)], down)
        if not cut.is_leaf[cell]:
            np.testing.assert_array_equal(fronts.made.inner_r[order.r_offset[cell] :][: len(up)], up)


@pytest.mark.parametrize(("lanes", "dtype"), KINDS)
def test_l_and_r_are_the_distances_inside_subtrees(lanes: Lanes, dtype: type[Any]) -> None:
    for name in ("two grids", "synthetic:rmat?n=64&m=300&seed=3"):
        network, layout, order = made(name)
        weights = network.metrics[0].weights.copy()
        weights[::17] = -1
        fronts = HostFronts(HostTables(order, layout), dtype, lanes=lanes)
        assert fronts.customise(weights)
        assert fronts.eliminated.tolist() == list(range(layout.dissection.cell_count))
        check(fronts, expected_fronts(network, layout, weights, int(infinity_of(dtype))))


@pytest.mark.parametrize(
    "network",
    [
        make_network(1, []),
        make_network(1, [(0, 0, 3)]),
        make_network(60, []),
        make_network(60, [(u, u + 1, 0) for u in range(59)]),
        make_network(91, [(0, v, v) for v in range(1, 91)] + [(v, 0, 1) for v in range(1, 91)]),
    ],
    ids=["one node", "a loop", "no arcs", "one way, all zero", "a hub"],
)
def test_small_and_degenerate_networks(network: RoadNetwork) -> None:
    cut = dissect(network)
    layout = FrontLayout.of(cut, network)
    fronts = HostFronts(HostTables.of(cut, network), np.int32, lanes=LANES_16)
    weights = network.metrics[0].weights.copy()
    assert fronts.customise(weights)
    check(fronts, expected_fronts(network, layout, weights, int(infinity_of(np.int32))))
    changed = np.arange(0, len(weights), 3)  # networks so small are folded anew as a whole
    weights[changed] = -1
    assert fronts.change(changed, weights[changed])
    check(fronts, expected_fronts(network, layout, weights, int(infinity_of(np.int32))))


def test_leaves_with_large_fronts_are_folded_by_pivots(monkeypatch: pytest.MonkeyPatch) -> None:
    network, layout, order = made("two grids")
    listed = HostFronts(HostTables(order, layout), np.int32, lanes=LANES_16)
    monkeypatch.setattr("wayfront.dissection.host.order.LISTED_ROWS", 20)
    some_listed = HostFronts(HostTables(order, layout), np.int32, lanes=LANES_16)
    for fronts in (listed, some_listed):
        fronts.customise(network.metrics[0].weights)
    assert written(some_listed) == written(listed)


def test_changed_arcs_give_what_customising_afresh_gives() -> None:
    network, layout, order = made("two grids")
    weights = network.metrics[0].weights.copy()
    fronts, fresh = (HostFronts(HostTables(order, layout), np.int32, lanes=LANES_16) for _ in range(2))
    fronts.customise(weights)
    rng = np.random.default_rng(3)
    for turn in range(100):
        arcs = rng.choice(len(weights), 1 + turn % 5, replace=False)
        weights[arcs] = rng.choice([-1, 0, 7, 90], len(arcs))
        assert fronts.change(arcs, weights[arcs])
        fresh.customise(weights)
        np.testing.assert_array_equal(fronts.made.weights, fresh.made.weights)
        assert written(fronts) == written(fresh)


def written(fronts: HostFronts) -> tuple[bytes, ...]:
    """Return the entries of all matrices, without the spare ones behind them."""
    matrices = fronts.made.inner_l, fronts.made.leaf_l, fronts.made.inner_r
    return tuple(matrix[: len(matrix) - SPARE].tobytes() for matrix in matrices)


def test_only_fronts_above_a_changed_arc_and_its_small_subtree_are_folded() -> None:
    network, layout, order = made("two grids")
    cut = layout.dissection
    fronts = HostFronts(HostTables(order, layout), np.int32)
    fronts.customise(network.metrics[0].weights)
    for arc in range(0, len(layout.cell_of_arc), 50):
        fronts.change(np.array([arc]), np.array([1]))
        cell = int(layout.cell_of_arc[arc])
        above = set()
        while cell >= 0:
            above.add(cell)
            cell = int(cut.parent[cell])
        folded = set(fronts.eliminated.tolist())
        assert above <= folded
        assert len(folded - above) < SMALL_SUBTREE
        assert len(folded) < cut.cell_count


def test_a_self_loop_changes_nothing() -> None:
    network, layout, order = made("two grids")
    fronts = HostFronts(HostTables(order, layout), np.int32)
    fronts.customise(network.metrics[0].weights)
    before = written(fronts)
    assert fronts.change(np.flatnonzero(layout.cell_of_arc < 0), np.array([-1] * 5))
    assert fronts.eliminated.tolist() == []
    assert written(fronts) == before


def test_threads_fold_the_same() -> None:
    network, layout, order = made("two grids")
    shares: list[Any] = []
    with ThreadPoolExecutor(3) as pool:

        def divide(work: Callable[[int, int], None], tasks: Sequence[int]) -> None:
            def take_every_third(core: int) -> None:
                for task in tasks[core::3]:
                    work(task, core)

            shares.extend(pool.submit(take_every_third, core) for core in range(3))
            for share in shares:
                share.result()

        alone = HostFronts(HostTables(order, layout), np.int32)
        together = HostFronts(HostTables(order, layout), np.int32, threads=3, divide=divide)
        alone.customise(network.metrics[0].weights)
        assert together.customise(network.metrics[0].weights)
    assert len(shares) == 6, "weights are taken, then fronts folded"
    assert written(together) == written(alone)


@pytest.mark.parametrize("name", ["a path", "two grids"])
def test_distances_that_come_near_infinity_do_not_fit(name: str) -> None:
    network, layout, order = made(name)
    narrow, wide = HostFronts(HostTables(order, layout), np.int32), HostFronts(HostTables(order, layout), np.int64)
    infinity = int(infinity_of(np.int32))
    outcomes = set()
    for power in range(16):
        weights = np.where(network.metrics[0].weights > 0, min(4**power, 2**31 - 1), 0)
        fits = narrow.customise(weights)
        outcomes.add(fits)
        assert wide.customise(weights)
        if fits:
            for own, other in (
                (narrow.made.inner_l, wide.made.inner_l),
                (narrow.made.leaf_l, wide.made.leaf_l),
                (narrow.made.inner_r, wide.made.inner_r),
            ):
                finite = other[:-SPARE] < infinity_of(np.int64)
                assert (other[:-SPARE][finite] < infinity).all()
                np.testing.assert_array_equal(own[:-SPARE], np.where(finite, other[:-SPARE], infinity))
    assert outcomes == {True, False}


def test_tables_are_of_the_cut_that_is_asked_for_though_another_thread_keeps_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = street_grid(9, 8, 50, seed=1)
    cut, another = dissect(network), dissect(network)
    HostTables.of(another, network)
    forget = RoadNetwork.forget

    def keep_others_meanwhile(network: RoadNetwork, ending: str) -> None:
        forget(network, ending)
        HostTables.of(another, network)

    monkeypatch.setattr(RoadNetwork, "forget", keep_others_meanwhile)
    assert HostTables.of(cut, network).order.dissection is cut


def test_tables_are_made_once_for_a_network_and_a_cut() -> None:
    network = street_grid(9, 8, 50, seed=1)
    cut, another = dissect(network), dissect(network)
    tables = HostTables.of(cut, network)
    assert HostTables.of(cut, network) is tables and tables.plan(LANES_16) is tables.plan(LANES_16)
    assert HostTables.of(another, network).order.dissection is another
    keep_dissection(network, another)
    assert HostTables.of(another, network).plan(LANES_8) is not tables.plan(LANES_16)
    prepared = [wayfront.prepare(network, device="cpu") for _ in range(2)]
    prepared[0].close(np.arange(0, network.arc_count, 3))
    assert prepared[1].trees([5])[0].tolist() == wayfront.search(network, 5, "dijkstra", "cpu").distances.tolist()
