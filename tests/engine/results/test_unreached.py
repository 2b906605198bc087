"""Where no path leads, every array, table and file of distances says −1, and every cost is infinite or missing."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import wayfront
from trace_files import array_bytes, members_of, replace_members
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.node_files import NodeTable
from wayfront.results.result import Result

FAR = 2**31 - 1


@pytest.fixture(scope="module")
def street() -> RoadNetwork:
    """Return a street 10 → 20 → 30 in decimetres, beside a node 40 that nothing leads to."""
    return RoadNetwork.from_arcs(
        name="street",
        node_count=4,
        tails=np.array([0, 1]),
        heads=np.array([1, 2]),
        metrics=[Metric("length", "m", 0.1, np.array([3, 4], np.int32))],
        node_ids=np.array([10, 20, 30, 40]),
    )


def searched(network: RoadNetwork, source: int = 0) -> Result:
    return wayfront.search(network, source, "dijkstra", "cpu", runs=0, trace=True)


EXPECTED = [0, 3, 7, -1]


def test_every_search_says_it_alike(street: RoadNetwork) -> None:
    prepared = wayfront.prepare(street, device="cpu")
    into = np.empty(4, prepared.distance_dtype)
    prepared.distances_into(0, into)
    pairs = wayfront.all_pairs(street, "dijkstra-in-turn", "cpu", keep="matrix", runs=0, trace=True)
    trace = searched(street).trace
    assert trace is not None and trace.tentative is not None
    found = {
        "tree": searched(street).distances,
        "near-far": wayfront.search(street, 0, "near-far", "cpu", runs=0, trace=True).distances,
        "dissection": wayfront.search(street, 0, "dissection", "cpu", runs=0, trace=True).distances,
        "prepared tree": prepared.tree(0).distances,
        "prepared trees": prepared.trees([0])[0],
        "prepared in place": into,
        "nearest": wayfront.search_nearest(street, [0], "dijkstra", "cpu").distances,
        "matrix": pairs.matrix[0],
        "row": pairs.row(0),
        "trace": trace.tentative[-1],
    }
    assert {name: distances.tolist() for name, distances in found.items()} == dict.fromkeys(found, EXPECTED)
    to_target = wayfront.search(street, 0, "dijkstra-to-target", target=3, runs=0, trace=True)
    assert to_target.distances.tolist() == EXPECTED
    assert (to_target.distance, to_target.route().distance, to_target.found()["distance"]) == (-1, -1, -1)
    assert searched(street).route(3).distance == -1


def test_distances_in_the_unit_are_infinite(street: RoadNetwork) -> None:
    expected = [0.0, 0.3, 0.7, np.inf]
    assert searched(street).costs.tolist() == expected
    assert wayfront.search_nearest(street, [0], "dijkstra", "cpu").costs.tolist() == expected
    assert street.metric().costs(wayfront.prepare(street, device="cpu").trees([0])[0]).tolist() == expected
    assert searched(street).route(3).cost == np.inf


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_files_say_it_alike(street: RoadNetwork, tmp_path: Path, suffix: str) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / f"distances{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    NodeTable.of(searched(street)).save(path)
    if suffix == ".npz":
        with np.load(path) as arrays:
            table = {name: arrays[name] for name in ("distance", "cost")}
    else:
        frame = pandas.read_csv(path) if suffix == ".csv" else pandas.read_parquet(path)
        table = {name: frame[name].to_numpy() for name in ("distance", "cost")}
    assert table["distance"].tolist() == EXPECTED
    assert table["cost"].tolist()[:3] == [0.0, 0.3, 0.7] and np.isnan(table["cost"][3])


@pytest.mark.parametrize("source", [0, 3])
def test_a_frame_says_it_alike(street: RoadNetwork, source: int) -> None:
    pytest.importorskip("pandas")
    for found in (searched(street, source), wayfront.search_nearest(street, [source], "dijkstra", "cpu")):
        assert isinstance(found, Result | wayfront.Nearest)
        table = found.to_pandas()
        assert table["distance"].tolist() == found.distances.tolist()
        assert table["cost"].isna().tolist() == (~found.reached).tolist()


@pytest.mark.parametrize("algorithm", ["dijkstra", "dijkstra-to-target"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_older_traces_mark_it_by_the_largest_number(
    street: RoadNetwork, tmp_path: Path, algorithm: str, dtype: type
) -> None:
    path = tmp_path / "street.wftrace"
    target = 2 if algorithm == "dijkstra-to-target" else None
    result = wayfront.search(street, 0, algorithm, "cpu", target=target, runs=0, trace=True)
    wayfront.save_trace(result, path)
    written: np.ndarray = np.load(io.BytesIO(members_of(path)["distances.npy"]))
    assert written.tolist() == EXPECTED
    older: np.ndarray = np.where(written < 0, np.iinfo(dtype).max, written).astype(dtype)
    replace_members(path, distances=array_bytes(older))
    assert wayfront.load_trace(path, street).distances.tolist() == EXPECTED


def test_a_distance_that_is_just_the_largest_number_needs_more_bits() -> None:
    network = RoadNetwork.from_arcs(
        name="long",
        node_count=4,
        tails=np.array([0, 1]),
        heads=np.array([1, 2]),
        metrics=[Metric("length", "m", 1.0, np.array([FAR - 1, 1], np.int32))],
    )
    result = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, verify=True, trace=True)
    assert result.distances.tolist() == [0, FAR - 1, FAR, -1]
    assert result.distances.dtype == np.int64
