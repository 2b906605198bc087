"""Access of every node is what whole trees of all points add up to, from nodes and roads, whatever is closed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from dissected import street_grid
from named_town import named_town
from search_checks import make_network, networks, plain_distances
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import MemoryShortError, NetworkError, OptionError, SearchCancelled
from wayfront.searching import access as access_module

FAR = np.inf


def rows_of(network: RoadNetwork, ends: Ends, *, reverse: bool, closed: tuple[int, ...] = ()) -> NDArray[np.float64]:
    """Return the distances [k, n] between points and nodes by plain searches, infinite where there is no path."""
    tails, heads = network.tails().tolist(), network.targets.tolist()
    if not reverse:
        tails, heads = heads, tails
    arcs = zip(tails, heads, network.metrics[0].weights.tolist(), strict=True)
    searched = make_network(network.node_count, [arc for i, arc in enumerate(arcs) if i not in closed])
    rows = np.full((len(ends), network.node_count), FAR)
    for i in range(len(ends)):
        for node, cost in zip(ends.nodes[i].tolist(), ends.costs[i].tolist(), strict=True):
            if node != NONE:
                tree = [FAR if d is None else d + cost for d in plain_distances(searched, node)]
                rows[i] = np.minimum(rows[i], tree)
    return rows


def selected(row: NDArray[np.float64], weights: NDArray[np.float64], fraction: float) -> float:
    """Return the smallest of one node's distances within which a fraction of the weight that is reached lies."""
    order = np.argsort(row, kind="stable")
    order = order[np.isfinite(row[order])]
    before = np.cumsum(weights[order])
    if not len(order) or before[-1] == 0:
        return FAR
    return float(row[order][np.searchsorted(before, max(np.ceil(before[-1] * fraction), 1.0))])


def check(found: wayfront.Access, rows: NDArray[np.float64], weights: NDArray[np.float64]) -> None:
    """Compare all measures with those of rows."""
    measures = found.measures
    rows = np.where(rows <= (FAR if measures.limit is None else measures.limit), rows, FAR)
    whole = weights[:, None]
    for value in measures.within:
        assert found[f"within_{value:.12g}"].tolist() == (whole * (rows <= value)).sum(axis=0).tolist()
    if measures.decay is not None:
        expected = (whole * np.where(np.isfinite(rows), measures.decay.at(rows), 0.0)).sum(axis=0)
        assert np.allclose(found["decay"], expected, rtol=1e-9, atol=1e-9)
    ordered = np.sort(np.concatenate((rows, np.full((5, rows.shape[1]), FAR))), axis=0)
    for number in measures.nearest:
        assert found[f"nearest_{number}"].tolist() == ordered[number - 1].tolist()
    if measures.mean:
        reached = np.isfinite(rows)
        total = (whole * reached).sum(axis=0)
        moment = (whole * np.where(reached, rows, 0.0)).sum(axis=0)
        assert np.allclose(found["mean"], np.where(total > 0, moment / np.maximum(total, 1), FAR))
    for fraction in measures.quantiles:
        expected = [selected(rows[:, node], weights, fraction) for node in range(rows.shape[1])]
        assert found[f"quantile_{fraction:.12g}"].tolist() == expected


ALL: dict[str, Any] = {"nearest": [1, 3], "mean": True, "quantiles": [0.25, 0.5, 1.0]}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limit", [None, 400.0])
def test_many_points_on_streets(threads: int, limit: float | None) -> None:
    network = street_grid(19, 15, 100, seed=4)
    draws = np.random.default_rng(2)
    nodes = np.stack([draws.integers(0, network.node_count, 700), draws.integers(-1, network.node_count, 700)], axis=1)
    none = np.full((700, 2), NONE, np.int64)
    ends = Ends(nodes.astype(np.int32), draws.integers(0, 60, (700, 2)), none, none)
    weights = draws.integers(0, 5, 700).astype(np.float64)
    asked = ALL | {"within": [500, 100, 900], "decay": "gaussian:300", "limit": limit}
    found = wayfront.access(network, ends, weights=weights, device="cpu", threads=threads, **asked)
    check(found, rows_of(network, ends, reverse=False), weights)


def test_the_nearest_alone_look_no_farther_than_they_have_to() -> None:
    network = street_grid(19, 15, 100, seed=4)
    nodes = np.random.default_rng(5).integers(0, network.node_count, 900)
    ends = Ends.at_nodes(network, nodes)
    found = wayfront.access(network, ends, nearest=[1, 2, 5], device="cpu")
    check(found, rows_of(network, ends, reverse=False), np.ones(900))


@settings(deadline=None, max_examples=40)
@given(network=networks(), data=st.data())
def test_any_network(network: RoadNetwork, data: st.DataObject) -> None:
    nodes = data.draw(st.lists(st.integers(0, network.node_count - 1), max_size=6))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(nodes), max_size=len(nodes))), np.float64)
    reverse = data.draw(st.booleans())
    arcs = range(network.arc_count)
    closed = data.draw(st.lists(st.sampled_from(arcs), max_size=3)) if network.arc_count else []
    within = data.draw(st.lists(st.integers(0, 60), max_size=3, unique=True))
    found = wayfront.access(
        *(network, nodes), weights=weights, within=within, device="cpu", reverse=reverse, closures=closed, **ALL
    )
    ends = Ends.at_nodes(network, nodes)
    check(found, rows_of(network, ends, reverse=reverse, closed=tuple(closed)), weights)


def test_distances_beyond_32_bits() -> None:
    large = 2**31 - 1
    network = make_network(4, [(0, 1, large), (1, 2, large), (2, 3, 5), (3, 0, 7)])
    ends = Ends.at_nodes(network, [3, 0])
    asked: dict[str, Any] = ALL | {"within": [5, large, 2 * large + 5]}
    check(wayfront.access(network, ends, device="cpu", **asked), rows_of(network, ends, reverse=False), np.ones(2))


@pytest.mark.parametrize("decay", ["exponential:200", "gaussian:200", "power:80:1.5"])
def test_decays(decay: str) -> None:
    network = street_grid(8, 7, 100, seed=1)
    weights = np.array([0.25, 3.7, 1e-3])
    ends = Ends.at_nodes(network, [3, 30, 50])
    found = wayfront.access(network, ends, weights=weights, decay=decay, device="cpu")
    check(found, rows_of(network, ends, reverse=False), weights)


def test_long_decays_are_evaluated_by_leading_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_module, "MOST_EXACT", 1 << 6)
    network = street_grid(8, 7, 100, seed=1)
    exact = rows_of(network, Ends.at_nodes(network, [3, 30]), reverse=False)
    assert exact.min(axis=0).max() > 1 << 7
    found = wayfront.access(network, [3, 30], decay="power:20:1", device="cpu")
    expected = np.minimum(20 / np.maximum(exact, 1), 1).sum(axis=0)
    assert np.allclose(found["decay"], expected, rtol=1 / 64)
    assert (np.abs(found["decay"] - expected) > 1e-6).any(), "steps have a width"


def test_weights_that_are_not_whole_are_added_up_alike_on_any_number_of_threads() -> None:
    network = street_grid(19, 15, 100, seed=4)
    draws = np.random.default_rng(3)
    nodes, weights = draws.integers(0, network.node_count, 600), draws.random(600) * 10
    one, two = (
        wayfront.access(
            network, nodes, weights=weights, within=600, decay="exponential:100", device="cpu", threads=threads
        )
        for threads in (1, 2)
    )
    assert one["within_600"].dtype == np.float64
    for name in one:
        assert (one[name] == two[name]).all()
    rows = rows_of(network, Ends.at_nodes(network, nodes), reverse=False)
    assert np.allclose(one["within_600"], (weights[:, None] * (rows <= 600)).sum(axis=0), rtol=1e-13)


def test_a_point_on_a_closed_road_is_reached_by_its_open_direction_alone() -> None:
    network = make_network(2, [(0, 1, 10), (1, 0, 10)])
    ends = Ends(np.array([[0, 1]], np.int32), np.array([[4, 6]]), np.array([[0, 1]]), np.array([[4, 6]]))
    found = wayfront.access(network, ends, nearest=1, device="cpu", closures=[0])
    assert found["nearest_1"].tolist() == [FAR, 6.0]
    shut = wayfront.access(network, ends, nearest=1, within=100, device="cpu", closures=[0, 1])
    assert shut.left_out == 1
    assert shut["nearest_1"].tolist() == [FAR, FAR]
    assert shut["within_100"].tolist() == [0, 0]


def test_places_bring_their_weights_and_are_put_on_the_roads() -> None:
    network = named_town()
    assert network.coordinates is not None
    places = wayfront.Places.from_arrays(*network.coordinates[[0, 7]].T / 1e6, weights=[2.0, 5.0])
    snapped = places.on(network)
    found, again = (wayfront.access(network, each, within=[0, 1e9], device="cpu") for each in (places, snapped))
    assert found["within_0"][[0, 7]].tolist() == [2, 5]
    assert set(found["within_1000000000"].tolist()) == {7}
    assert all(np.array_equal(found[name], again[name]) for name in ("within_0", "within_1000000000"))
    with pytest.raises(NetworkError, match="another network"):
        wayfront.access(named_town(), snapped, within=1, device="cpu")


def test_no_points_and_no_nodes() -> None:
    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    found = wayfront.access(network, [], within=5, decay="exponential:5", **ALL, device="cpu")
    assert not found["within_5"].any()
    assert not found["decay"].any()
    assert all(np.isinf(found[name]).all() for name in ("nearest_1", "mean", "quantile_0.5"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "nothing is asked for"),
        ({"within": -1}, "within: distances of 0 or more"),
        ({"within": "far"}, "within: distances"),
        ({"within": [5, 5.0]}, "asked for twice"),
        ({"within": float("nan")}, "within: distances"),
        ({"limit": -2, "within": 1}, "the limit"),
        ({"nearest": 0}, "which nearest point"),
        ({"nearest": 10**6}, "at most the 1,000th"),
        ({"quantiles": 0}, "fractions above 0"),
        ({"decay": "linear:5"}, "exponential, gaussian, power"),
        ({"decay": "power"}, "power:SCALE:EXPONENT"),
        ({"decay": "gaussian:-1"}, "a number above 0"),
        ({"decay": 3}, "a wayfront.Decay"),
        ({"within": 1, "weights": [1.0]}, "one for each of 2"),
        ({"within": 1, "weights": [1.0, -1.0]}, "opportunity 1 .* has -1"),
        ({"within": 1, "weights": ["a", "b"]}, "weights are numbers"),
        ({"within": 1, "device": "simulator"}, "choose another device|no device|cannot run"),
    ],
)
def test_mistakes_are_explained_before_anything_is_computed(wrong: dict[str, Any], message: str) -> None:
    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    with pytest.raises(wayfront.safe.errors.WayfrontError, match=message):
        wayfront.access(network, [0, 1], **({"device": "cpu"} | wrong))


def test_places_that_are_not_on_the_network_are_refused() -> None:
    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    for wrong in ([99], "shops.csv", [0.5], network):
        with pytest.raises(NetworkError):
            wayfront.access(network, wrong, within=1, device="cpu")


def test_memory_is_forecast_before_the_network_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    network = street_grid(19, 15, 100, seed=4)
    monkeypatch.setattr("wayfront.searching.access.customised_on", lambda *_: pytest.fail("it has been cut"))
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryShortError):
        wayfront.access(network, [0], within=1, device="cpu")


def test_progress_and_cancel() -> None:
    network, told, cancel = street_grid(19, 15, 100, seed=4), [], threading.Event()
    nodes = np.arange(network.node_count).repeat(3)

    def note(what: str, fraction: float) -> None:
        told.append((what, fraction))

    wayfront.access(network, nodes, within=100, quantiles=0.5, device="cpu", progress=note)
    fractions = [fraction for what, fraction in told if what == "adding up trees"]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)
    cancel.set()
    with pytest.raises(SearchCancelled):
        wayfront.access(network, nodes, within=100, device="cpu", cancel=cancel)


def test_tables_and_files(tmp_path: Path) -> None:
    network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    closed = np.flatnonzero((network.tails() == 7) | (network.targets == 7))
    found = wayfront.access(network, [0, 29], within=500, nearest=2, mean=True, device="cpu", closures=closed)
    frame = found.to_pandas()
    assert frame.loc[network.node_ids[7], ["nearest_2", "mean"]].isna().all()
    assert len(found.to_geodataframe()) == 30
    found.save(tmp_path / "access.csv")
    read = pandas.read_csv(tmp_path / "access.csv").set_index("node")
    for name in found:
        assert np.allclose(read[name], frame.sort_index()[name], equal_nan=True, atol=1e-6)
    for suffix in (".parquet", ".geojson", ".npz"):
        found.save(tmp_path / f"access{suffix}")
    assert len(pandas.read_parquet(tmp_path / "access.parquet")) == 30
    with pytest.raises(OptionError, match="unknown suffix"):
        found.save(tmp_path / "access.xyz")
    with pytest.raises(NetworkError, match="no measure"):
        found["other"]
    assert "2 points" in repr(found)
