"""Catchments: what belongs to each source is what is nearest to it, side by side, and files say so."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from threading import Event

import geopandas
import numpy as np
import pytest

import wayfront
from search_checks import make_network
from wayfront.results.catchments import Catchments
from wayfront.results.nearest import Nearest
from wayfront.safe.errors import NetworkError, OptionError, SearchCancelled


@pytest.fixture(scope="module")
def found() -> Nearest:
    network = wayfront.open_network("synthetic:grid?columns=30&rows=20&seed=4")
    one_way = np.flatnonzero((network.tails() < network.targets) & (network.tails() % 7 == 0))
    return wayfront.search(network, [3, 400, 590, 3], "dijkstra", "cpu", closures=one_way, reverse=True)


@pytest.fixture(scope="module")
def areas(found: Nearest) -> Catchments:
    return found.catchments(buffer_m=30)


def test_they_cover_what_is_nearest_and_do_not_overlap(found: Nearest, areas: Catchments) -> None:
    assert [each.nodes for each in areas] == found.served.tolist() and areas[3].nodes == 0
    network = found.network
    frame = areas.to_geodataframe()
    metric_frame = frame.to_crs(frame.estimate_utm_crs())
    assert frame.is_valid.all() and frame.geometry[3].is_empty
    for one, other in combinations(range(3), 2):
        assert metric_frame.geometry[one].intersection(metric_frame.geometry[other]).area < 1
    places = network.coordinates
    assert places is not None
    points = geopandas.points_from_xy(*(places.T / 1e6))
    for index in range(3):
        inside = frame.geometry[index].buffer(1e-5).contains(points)
        assert inside[found.nearest == index].all(), "each node lies in its source's catchment"
        assert (found.nearest[inside] == index).mean() > 0.97, "and hardly any other, at most on its border"
    assert metric_frame.area.sum() / 1e6 == pytest.approx(sum(each.area_km2 for each in areas), rel=2e-3)
    lines = network.to_geodataframes()[1].to_crs(metric_frame.crs)
    ends = np.sort(np.stack([network.tails(), network.targets], 1), axis=1)
    once = lines.length[np.unique(ends, axis=0, return_index=True)[1]]
    assert sum(each.road_m for each in areas) == pytest.approx(once.sum(), rel=0.01), "each road once, in one of them"


def test_their_facts_are_those_of_their_nodes(found: Nearest, areas: Catchments) -> None:
    facts = areas.facts()
    ids = found.network.node_ids
    assert [row["source"] for row in facts] == [ids[3], ids[400], ids[590], ids[3]]
    for index in range(3):
        farthest = found.costs[found.nearest == index].max()
        assert facts[index]["farthest"] == pytest.approx(farthest)
    assert facts[3]["farthest"] is None
    assert repr(areas) == f"<Catchments of 4 sources on {found.network.name}>" and len(list(areas)) == len(areas) == 4


def test_a_limit_leaves_out_what_is_farther(found: Nearest) -> None:
    near = found.catchments(buffer_m=30, within=300, labels=["a", "b", "c", "d"])
    for index, each in enumerate(near):
        costs = found.costs[found.nearest == index]
        assert each.nodes == (costs <= 300).sum() and each.label == "abcd"[index]
    assert near[0].area_km2 < found.catchments(buffer_m=30)[0].area_km2
    assert found.catchments(buffer_m=30, within=1e12)[0].nodes == found.served[0]


def test_a_limit_that_is_the_cost_of_a_node_holds_it() -> None:
    network = wayfront.open_network("synthetic:city?nodes=2000&seed=4")
    forest = wayfront.search(network, [5], device="cpu", metric="travel time")
    for node in np.argsort(forest.distances)[41:54:12].tolist():
        cost = float(forest.costs[node])
        its = int((forest.costs <= cost).sum())
        assert forest.catchments(within=cost)[0].nodes == its
        assert wayfront.isochrones(network, 5, [cost], "travel time", device="cpu")[0].nodes == its


def test_files_have_the_same_areas(areas: Catchments, tmp_path: Path) -> None:
    areas.save(tmp_path / "some.geojson")
    areas.save(tmp_path / "some.gpkg", "EPSG:32632")
    areas.save(tmp_path / "some.csv")
    collection = json.loads((tmp_path / "some.geojson").read_text())
    assert [feature["properties"] for feature in collection["features"]] == areas.facts()
    back = geopandas.read_file(tmp_path / "some.gpkg")
    assert back.crs.to_epsg() == 32632 and back["nodes"].tolist() == [each.nodes for each in areas]
    assert len((tmp_path / "some.csv").read_text().splitlines()) == 5
    with pytest.raises(OptionError, match="unknown suffix"):
        areas.save(tmp_path / "some.shp")


def test_what_cannot_be_is_said_at_once(found: Nearest) -> None:
    flat = wayfront.search(make_network(2, [(0, 1, 3)]), [0])
    with pytest.raises(NetworkError, match="no coordinates"):
        flat.catchments()
    for wrong, why in (
        ({"buffer_m": 0}, "buffer_m is the width"),
        ({"buffer_m": float("nan")}, "buffer_m is the width"),
        ({"buffer_m": "wide"}, "buffer_m is the width"),
        ({"within": -1}, "within is a limit"),
        ({"within": "5min"}, "within is a limit"),
        ({"labels": ["one"]}, "1 labels are not one for each of 4"),
    ):
        with pytest.raises(OptionError, match=why):
            found.catchments(**wrong)
    cancel = Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        found.catchments(cancel=cancel)
    on_roads = replace(found, origins=replace(found.origins, arcs=np.array([[5, -1], [-1, -1], [7, 8], [-1, -1]])))
    assert [each.label for each in on_roads.catchments(buffer_m=30)][:3:2] == [1, 3]
