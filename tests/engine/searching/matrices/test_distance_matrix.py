"""The public matrix: what plain searches find, with labels, in every form, and what is refused before it begins."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from dissected import street_grid
from search_checks import make_network, networks, plain_distances
from wayfront.network.ends import NONE, Ends
from wayfront.network.exporting import column_name
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.matrix_files import kept_rows
from wayfront.safe import memory
from wayfront.safe.errors import MemoryShortError, NetworkError, OptionError, SearchCancelled, WriteError
from wayfront.searching import between
from wayfront.searching.matrices import finding, keeping


def two_metrics(network: RoadNetwork, seed: int = 1) -> RoadNetwork:
    """Return a network with a second metric of other weights."""
    weights = np.random.default_rng(seed).integers(0, 50, network.arc_count).astype(np.int32)
    other = Metric("time", "s", 0.1, weights).frozen()
    return replace(network, metrics=(network.metrics[0], other), content_key=f"{network.content_key}-2", _derived={})


@pytest.fixture
def grid() -> RoadNetwork:
    return two_metrics(street_grid(12, 9, 60, seed=5))


def sums_of_routes(network: RoadNetwork, origins: Any, destinations: Any, **asked: Any) -> list[list[int]]:
    """Return what the second metric adds up to along the routes of trees, −1 where there is none."""
    rows = []
    for origin in origins:
        tree = wayfront.search(network, int(origin), "dijkstra", "cpu", runs=0, **asked)
        rows.append(
            [
                int(network.metrics[1].weights[tree.route(int(node)).arcs].sum()) if tree.distances[node] >= 0 else -1
                for node in destinations
            ]
        )
    return rows


@settings(max_examples=25, deadline=None)
@given(network=networks(), data=st.data())
def test_it_is_what_plain_searches_find_and_what_their_routes_add_up_to(
    network: RoadNetwork, data: st.DataObject
) -> None:
    network = two_metrics(network)
    nodes = st.integers(0, network.node_count - 1)
    origins, destinations = (data.draw(st.lists(nodes, min_size=1, max_size=6)) for _ in range(2))
    reverse = data.draw(st.booleans())
    last = network.arc_count - 1
    closed = data.draw(st.lists(st.integers(0, last), max_size=3)) if last >= 0 else []
    asked: dict[str, Any] = {"closures": closed, "reverse": reverse}
    trees = [wayfront.search(network, node, "dijkstra", "cpu", runs=0, **asked) for node in origins]
    expected = [[int(tree.distances[node]) for node in destinations] for tree in trees]
    plain = wayfront.distance_matrix(network, origins, destinations, device="cpu", **asked)
    assert plain.raw.tolist() == expected
    assert plain.reached == int((plain.raw >= 0).sum()) == plain.shape[0] * plain.shape[1] - plain.unreached
    both = wayfront.distance_matrix(network, origins, destinations, device="cpu", also=["time"], **asked)
    assert both.raw.tolist() == expected
    assert both.more["time"].tolist() == sums_of_routes(network, origins, destinations, **asked)
    way = plain.route(0, 0)
    assert way.distance == expected[0][0]
    if way.distance >= 0:
        assert int(network.metrics[0].weights[way.arcs].sum()) == way.distance


def on_road(network: RoadNetwork, arc: int, tenths: int) -> tuple[Any, ...]:
    """Return where a point is left and reached, so many tenths along an arc, by both metrics: (leaving, arriving)."""
    found = []
    for metric in network.metrics:
        weight = int(metric.weights[arc])
        along = weight * tenths // 10
        arcs, offsets = np.array([[arc, NONE]]), np.array([[along, 0]])
        head = Ends(np.array([[network.targets[arc], NONE]], np.int32), np.array([[weight - along, 0]]), arcs, offsets)
        tail = Ends(np.array([[network.tails()[arc], NONE]], np.int32), np.array([[along, 0]]), arcs, offsets)
        found.append((head, tail))
    return tuple(found)


class OneWayPlaces:
    """Points on one-way roads, as ``SnappedPlaces`` offers them; the last is far from every road."""

    def __init__(self, network: RoadNetwork, at: list[tuple[int, int]]) -> None:
        self.network, self.places, self._at = network, self, at
        self.ids, self.names = np.array([f"p{i}" for i in range(len(at) + 1)], object), ["Baker"] + [""] * len(at)

    def __len__(self) -> int:
        return len(self._at) + 1

    def _ends(self, metric: Metric, side: int) -> Ends:
        which = [metric.name for metric in self.network.metrics].index(metric.name)
        each = [on_road(self.network, arc, tenths)[which][side] for arc, tenths in self._at]
        none = np.full((1, 2), NONE, np.int64)
        far = Ends(none.astype(np.int32), np.zeros((1, 2), np.int64), none, np.zeros((1, 2), np.int64))
        return Ends(*(np.concatenate([getattr(e, name) for e in (*each, far)]) for name in Ends.__slots__))

    def origins(self, metric: Metric) -> Ends:
        return self._ends(metric, 0)

    def destinations(self, metric: Metric) -> Ends:
        return self._ends(metric, 1)


@settings(max_examples=20, deadline=None)
@given(data=st.data(), reverse=st.booleans())
def test_points_on_roads_with_sums_along_the_ways(data: st.DataObject, reverse: bool) -> None:
    network = two_metrics(street_grid(5, 4, 60, seed=5))
    place = st.tuples(st.integers(0, network.arc_count - 1), st.integers(0, 10))
    first, second = (OneWayPlaces(network, data.draw(st.lists(place, min_size=1, max_size=5))) for _ in range(2))
    plain = wayfront.distance_matrix(network, first, second, device="cpu", reverse=reverse)
    both = wayfront.distance_matrix(network, first, second, device="cpu", also=["time"], reverse=reverse)
    assert both.raw.tolist() == plain.raw.tolist()
    last = len(second) - 2
    assert plain.route(0, last).distance == plain.raw[0, last] and plain.route(len(first) - 1, 0).distance == -1
    assert plain.far_origins.tolist() == [len(first) - 1] and (plain.raw[-1] == -1).all()
    assert repr(plain).endswith("no road near 1 origin and 1 destination>")
    for i, (arc, tenths) in enumerate(first._at):
        for j, (other, others_tenths) in enumerate(second._at):
            (a, b), (x, y) = (
                ((other, arc), (others_tenths, tenths)) if reverse else ((arc, other), (tenths, others_tenths))
            )
            parts = [
                int(m.weights[a]) - int(m.weights[a]) * x // 10 + int(m.weights[b]) * y // 10 for m in network.metrics
            ]
            tree = wayfront.search(network, int(network.targets[a]), "dijkstra", "cpu", runs=0)
            node = int(network.tails()[b])
            along = [int(m.weights[a]) * y // 10 - int(m.weights[a]) * x // 10 for m in network.metrics]
            whole, sums = -1, -1
            if tree.distances[node] >= 0:
                whole = parts[0] + int(tree.distances[node])
                sums = parts[1] + int(network.metrics[1].weights[tree.route(node).arcs].sum())
            if a == b and along[0] >= 0 and (along[0] < whole or whole < 0):
                whole, sums = along
            assert both.raw[i, j] == whole
            if not reverse:  # towards a node another one of several shortest ways may be that of the tree
                assert both.more["time"][i, j] == sums


def test_tables_have_labels_units_and_what_is_missing(grid: RoadNetwork, tmp_path: Path) -> None:
    import pandas
    import xarray

    network = make_network(4, [(0, 1, 5), (1, 0, 5), (1, 2, 7)], node_ids=[10, 20, 30, 40])
    matrix = wayfront.distance_matrix(network, [0, 2, 0], [2, 3], device="cpu")
    assert matrix.unreached == 3 and np.isinf(matrix.values).sum() == 3
    wide = matrix.to_pandas()
    assert wide.index.tolist() == [10, 30, 10] and wide.columns.tolist() == [30, 40]
    assert wide.index.name == "origin" and wide.isna().sum().sum() == 3
    scale = network.metrics[0].scale
    assert wide.iloc[0, 0] == 12 * scale and wide.iloc[1, 0] == 0
    found = wayfront.distance_matrix(grid, [3, 50], [7, 7, 9], device="cpu", also=["time"])
    long = found.to_pandas(long=True)
    assert list(long) == ["origin", "destination", column_name(grid.metrics[0]), "time"]
    assert long["time"].tolist() == found.values_of("time").ravel().tolist()
    dataset = found.to_xarray()
    assert dataset["time"].attrs["units"] == "s" and dataset["time"].shape == (2, 3)
    for name in ("m.parquet", "m.csv", "m.npz", "m.zarr"):
        found.save(tmp_path / name)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "m.parquet"), long)
    pandas.testing.assert_frame_equal(pandas.read_csv(tmp_path / "m.csv"), long, check_dtype=False)
    with np.load(tmp_path / "m.npz") as arrays:
        assert arrays["distance"].tolist() == found.raw.tolist()
        assert arrays["time"].tolist() == found.more["time"].tolist()
        assert arrays["origin"].tolist() == found.origins.tolist() and float(arrays["time_scale"]) == 0.1
    stored = xarray.open_zarr(tmp_path / "m.zarr", consolidated=False, mask_and_scale=False)
    assert stored["distance"].values.tolist() == found.raw.tolist()
    assert stored["time"].attrs["scale"] == 0.1 and stored["origin"].values.tolist() == found.origins.tolist()
    with pytest.raises(OptionError, match="unknown suffix"):
        found.save(tmp_path / "m.xlsx")
    with pytest.raises(OptionError, match="parquet"):
        found.to_parquet(tmp_path / "m.csv")
    with pytest.raises(NetworkError, match="also="):
        found.values_of("colour")


@pytest.mark.parametrize("also", [(), ("time",)])
def test_rows_are_written_as_they_are_found(
    grid: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, also: tuple[str, ...]
) -> None:
    import pandas
    import zarr

    monkeypatch.setattr(finding, "ALONG_ROWS", 7)
    monkeypatch.setattr(between, "LEAST_ROWS", 7)
    monkeypatch.setattr(between, "BLOCK_BYTES", 1)
    origins = np.arange(30)
    asked: dict[str, Any] = {"origins": origins, "destinations": [5, 100, 3], "device": "cpu", "also": also}
    whole = wayfront.distance_matrix(grid, **asked)
    for name in ("m.parquet", "m.csv", "m.zarr", *(() if also else ("m.npy",))):
        fractions: list[float] = []

        def note(_doing: str, fraction: float, seen: list[float] = fractions) -> None:
            seen.append(fraction)

        found = wayfront.distance_matrix(grid, **asked, path=tmp_path / name, progress=note)
        assert found.reached == whole.reached and found.path == str(tmp_path / name)
        assert fractions[-1] == 1 and len(fractions) >= 5
    long = whole.to_pandas(long=True)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "m.parquet"), long)
    pandas.testing.assert_frame_equal(pandas.read_csv(tmp_path / "m.csv"), long, check_dtype=False)
    group = zarr.open_group(store=str(tmp_path / "m.zarr"), mode="r")
    for name, raw in {"distance": whole.raw, **whole.more}.items():
        assert np.asarray(group[name]).tolist() == np.asarray(raw).tolist()
    if not also:
        assert np.load(tmp_path / "m.npy").tolist() == whole.raw.tolist()
    table = wayfront.distance_matrix(grid, **asked, path=tmp_path / "again.csv")
    with pytest.raises(NetworkError, match=r"again\.csv alone"):
        table.to_pandas()
    with pytest.raises(WriteError, match="exists already"):
        wayfront.distance_matrix(grid, **asked, path=tmp_path / "m.zarr")


@pytest.mark.parametrize("suffix", [".zarr", ".npy", ".parquet"])
def test_a_cancelled_one_goes_on_unless_its_rows_are_wrong(
    grid: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(between, "LEAST_ROWS", 7)
    monkeypatch.setattr(between, "BLOCK_BYTES", 1)
    path, cancel = tmp_path / f"m{suffix}", threading.Event()
    asked: dict[str, Any] = {"origins": np.arange(40), "destinations": [5, 100, 3], "device": "cpu", "path": path}
    whole = wayfront.distance_matrix(grid, np.arange(40), [5, 100, 3], device="cpu")

    def stop(_doing: str, fraction: float) -> None:
        if fraction > 0.4:
            cancel.set()

    def stopped() -> None:
        cancel.clear()
        with pytest.raises(SearchCancelled):
            wayfront.distance_matrix(grid, **asked, progress=stop, cancel=cancel)

    stopped()
    if suffix == ".parquet":
        assert list(tmp_path.iterdir()) == []
        return
    note = tmp_path / f"m{suffix}.part.json"
    assert json.loads(note.read_text())["rows"] == [[0, 21]]
    taken: list[int] = []
    take = keeping.Keeper.take

    def noting(kept: keeping.Keeper, places: NDArray[np.intp], arrays: Sequence[NDArray[Any]]) -> None:
        taken.extend(places.tolist())
        take(kept, places, arrays)

    monkeypatch.setattr(keeping.Keeper, "take", noting)
    found = wayfront.distance_matrix(grid, **asked)
    assert taken == list(range(21, 40)) and not note.exists()
    assert np.asarray(found.raw).tolist() == whole.raw.tolist() and found.reached == whole.reached

    for damage in ("rows", "note", "question"):
        other, asked["path"] = damage, tmp_path / f"{damage}{suffix}"
        stopped()
        note = tmp_path / f"{damage}{suffix}.part.json"
        if damage == "note":
            note.write_text('{"format": "wayfront matrix 1", "rows": "?"}')
        elif damage == "rows":
            begin = kept_rows(asked["path"], found.labels)
            assert begin is not None and begin.reopen()
            begin.take(np.array([0]), np.full((1, 3), 9))
            begin.flush()
            begin.close()
        else:
            asked["closures"] = [0]
            whole = wayfront.distance_matrix(grid, np.arange(40), [5, 100, 3], device="cpu", closures=[0])
        taken.clear()
        again = wayfront.distance_matrix(grid, **asked)
        assert taken == list(range(40)), other
        assert np.asarray(again.raw).tolist() == whole.raw.tolist()
        assert again.reached == whole.reached


def test_what_is_prepared_is_kept_and_taken(grid: RoadNetwork) -> None:
    first = wayfront.distance_matrix(grid, [0], [9], device="cpu")
    assert wayfront.distance_matrix(grid, [3], [4], device="cpu").prepare() is first.prepare()
    assert wayfront.distance_matrix(grid, [3], [4], "time", "cpu").prepare() is not first.prepare()
    prepared = wayfront.prepare(grid, "time", "cpu", reverse=True)
    prepared.close([1, 2])
    found = wayfront.distance_matrix(grid, [0, 5], [7], prepared=prepared)
    assert found.metric.name == "time" and found.closures.tolist() == [1, 2]
    tree = wayfront.search(grid, 5, "dijkstra", "cpu", metric="time", closures=[1, 2], reverse=True)
    assert found.raw[1, 0] == tree.distances[7] and found.labels.dimensions == ("destination", "origin")
    assert found.route(1, 0).nodes.tolist() == tree.route(7).nodes.tolist()
    mistakes: tuple[dict[str, Any], ...] = (
        {"metric": "time"},
        {"closures": [0]},
        {"reverse": True},
        {"device": "cpu"},
        {"threads": 2},
    )
    for refused in mistakes:
        with pytest.raises(OptionError, match="prepared"):
            wayfront.distance_matrix(grid, [0], [1], prepared=prepared, **refused)
    with pytest.raises(NetworkError, match="not this network"):
        wayfront.distance_matrix(street_grid(3, 3, 9, 1), [0], [1], prepared=prepared)


def test_what_cannot_be_answered_is_refused_in_a_sentence_before_it_begins(
    grid: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(error: type[Exception], words: str, *points: Any, **asked: Any) -> None:
        with pytest.raises(error, match=words):
            wayfront.distance_matrix(grid, *points, **asked)
        assert not grid.has_derived("prepared for matrices")

    refused(NetworkError, "there are no origins", [])
    refused(NetworkError, "there are no destinations", [1], [])
    refused(NetworkError, "internal node numbers, not", 7)
    refused(NetworkError, "no internal node 999", [999])
    refused(OptionError, "also is a list", [1], also="time")
    refused(OptionError, "leave it out of also", [1], also=[grid.metrics[0].name])
    refused(NetworkError, "colour", [1], also=["colour"])
    refused(OptionError, "limit_m is for places", [1], limit_m=5.0)
    refused(OptionError, "unknown suffix", [1], path=tmp_path / "m.xlsx")
    refused(OptionError, "holds one metric", [1], path=tmp_path / "m.npy", also=["time"])
    refused(WriteError, "no folder", [1], path=tmp_path / "none" / "m.zarr")
    for name in ("m.zarr", "m.npy"):
        (tmp_path / name).touch()
        refused(WriteError, "exists already", [1], path=tmp_path / name)
    ends = Ends(
        np.array([[0, 1]], np.int32), np.ones((1, 2), np.int64), np.full((1, 2), -1), np.zeros((1, 2), np.int64)
    )
    refused(OptionError, "ends by one metric", ends, also=["time"])
    many = np.zeros(10**7, np.int32)
    refused(MemoryShortError, r"10,000,000 × 10,000,000: .* free: have it written to a file .*fewer points", many)
    refused(WriteError, r"more than is free there: choose another disk, ask for fewer", many, path=tmp_path / "m.zarr")
    refused(WriteError, r"more than is free there", many, path=tmp_path / "m.parquet")
    monkeypatch.setattr(memory, "available_bytes", lambda: 100)
    refused(MemoryShortError, "6 × 6", range(6))


def test_a_node_that_nothing_leads_to_and_a_network_of_one() -> None:
    lonely = make_network(1, [])
    assert wayfront.distance_matrix(lonely, [0, 0], device="cpu").raw.tolist() == [[0, 0], [0, 0]]
    apart = make_network(3, [(0, 1, 4)])
    found = wayfront.distance_matrix(apart, [0, 1, 2], device="cpu")
    assert found.raw.tolist() == [
        [(-1 if value is None else value) for value in plain_distances(apart, node)] for node in range(3)
    ]
    assert not len(found.route(1, 0)) and found.route(0, 1).distance == 4 and found.route(2, 2).distance == 0
    for index in (3, -1, 0.5):
        with pytest.raises(NetworkError, match="indices are 0…2"):
            found.route(index, 0)  # type: ignore[arg-type]
