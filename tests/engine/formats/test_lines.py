"""Layers of lines: the roads of a file become the network that OpenStreetMap's own form of them becomes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
from shapely.geometry import LineString, MultiLineString, Point

import wayfront
from wayfront.formats.registry import recognise
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError

CROSS = [LineString([(8.0, 50.0), (8.001, 50.0), (8.002, 50.0)]), LineString([(8.001, 49.999), (8.001, 50.0)])]


def layer(path: Path, lines: list[Any], called: str = "", **columns: Any) -> Path:
    frame = geopandas.GeoDataFrame({**columns, "geometry": lines}, crs="EPSG:4326")
    frame.to_file(path, layer=called, mode="a" if path.exists() else "w") if called else frame.to_file(path)
    return path


def arcs(network: RoadNetwork) -> set[tuple[int, int, int, int]]:
    """Return longitude and latitude of both ends of every arc, microdegrees."""
    assert network.coordinates is not None
    ends = np.column_stack((network.coordinates[network.tails()], network.coordinates[network.targets]))
    return set(map(tuple, ends.tolist()))


@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".shp", ".fgb"])
def test_lines_meet_where_they_have_a_point_in_common(tmp_path: Path, suffix: str) -> None:
    network = wayfront.open_network(layer(tmp_path / f"roads{suffix}", CROSS), cache=False)
    assert (network.node_count, network.arc_count) == (4, 6)
    assert recognise(tmp_path / f"roads{suffix}").label == "Layer of lines"
    reached = wayfront.search(network, 0, "dijkstra", "cpu").reached
    assert reached.all()
    metres = network.metric("length").weights * network.metric("length").scale
    assert sorted(metres.tolist()) == pytest.approx([71.5, 71.5, 71.5, 71.5, 111.2, 111.2], abs=0.1)
    assert network.attribution == ""


def test_lines_that_cross_without_a_point_pass_over_each_other(tmp_path: Path) -> None:
    lines = [LineString([(8.0, 50.0), (8.002, 50.0)]), LineString([(8.001, 49.999), (8.001, 50.001)])]
    network = wayfront.open_network(layer(tmp_path / "roads.gpkg", lines), cache=False)
    assert int(wayfront.search(network, 0, "dijkstra", "cpu").reached.sum()) == 2


def test_columns_stand_for_tags(tmp_path: Path) -> None:
    path = layer(
        tmp_path / "roads.gpkg",
        [*CROSS, LineString([(8.002, 50.0), (8.003, 50.0)]), LineString([(8.0, 50.0), (8.0, 50.001)])],
        fclass=["primary", "residential", "footway", "residential"],
        oneway=["F", "T", "B", "B"],
        maxspeed=[100, 0, 0, 50],
        name=["Main Street", None, "", "High Street"],
    )
    network = wayfront.open_network(path, cache=False)
    assert arcs(network) == {
        (8000000, 50000000, 8001000, 50000000),
        (8001000, 50000000, 8002000, 50000000),
        (8001000, 50000000, 8001000, 49999000),  # against its points
        (8000000, 50000000, 8000000, 50001000),
        (8000000, 50001000, 8000000, 50000000),
    }
    assert network.road_names is not None
    assert set(network.road_names.names) == {"Main Street", "High Street"}
    times = network.metric("travel time")
    fastest = min((times.weights * times.scale).tolist())
    assert fastest == pytest.approx(71.5 / (100 / 3.6), rel=1e-3)
    walk = wayfront.open_network(path, osm=wayfront.OsmOptions("walk"), cache=False)
    assert walk.arc_count == 10, "on foot every street leads both ways, and the footway is one"


def test_edges_of_osmnx_are_the_network_of_its_graphml(tmp_path: Path) -> None:
    """A column of truth values for one-way streets, lists of kinds, and nodes in a layer beside the edges."""
    lines = [LineString([(8.0, 50.0), (8.001, 50.0)]), LineString([(8.001, 50.0), (8.001, 50.001)])]
    path = layer(tmp_path / "graph.gpkg", [Point(8.0, 50.0)], called="nodes", osmid=[1])
    kinds = ["['residential', 'tertiary']", "residential"]
    layer(path, lines, called="edges", osmid=[7, 8], oneway=[True, False], highway=kinds)
    network = wayfront.open_network(path, cache=False)
    assert network.arc_count == 3
    assert "OpenStreetMap" in network.attribution


def test_projected_lines_are_the_same_network(tmp_path: Path) -> None:
    degrees = layer(tmp_path / "degrees.gpkg", CROSS)
    metres = tmp_path / "metres.gpkg"
    geopandas.read_file(degrees).to_crs("EPSG:25832").to_file(metres)
    first, second = (wayfront.open_network(path, cache=False) for path in (degrees, metres))
    assert arcs(first) == arcs(second)
    assert first.metrics[0].weights.tolist() == second.metrics[0].weights.tolist()


def test_a_line_in_parts_is_cut_between_them(tmp_path: Path) -> None:
    parts = MultiLineString([[(8.0, 50.0), (8.001, 50.0)], [(8.002, 50.0), (8.003, 50.0), (8.004, 50.0)]])
    single = LineString([(8.005, 50.0), (8.006, 50.0)])
    network = wayfront.open_network(layer(tmp_path / "roads.gpkg", [parts, single]), cache=False)
    assert (network.node_count, network.arc_count) == (7, 8)


def test_points_in_three_dimensions_and_lines_without_any_are_taken(tmp_path: Path) -> None:
    lines = [LineString([(8.0, 50.0, 3.0), (8.001, 50.0, 4.0)]), None, LineString()]
    network = wayfront.open_network(layer(tmp_path / "roads.gpkg", lines), cache=False)
    assert network.arc_count == 2


def test_simplified_lines_keep_their_shapes(tmp_path: Path) -> None:
    path = layer(tmp_path / "roads.gpkg", [LineString([(8.0, 50.0), (8.001, 50.001), (8.002, 50.0)])])
    network = wayfront.open_network(path, osm=wayfront.OsmOptions("drive", simplify=True), cache=False)
    assert (network.node_count, network.arc_count) == (2, 2)
    assert network.shapes is not None
    assert network.shapes.points.tolist() == [[8001000, 50001000]] * 2


def refused(path: Path) -> str:
    with pytest.raises(FormatError) as problem:
        wayfront.open_network(path, cache=False)
    return str(problem.value)


def test_what_is_no_layer_of_roads_is_refused_with_what_it_is(tmp_path: Path) -> None:
    said = refused(layer(tmp_path / "points.gpkg", [Point(8.0, 50.0)], called="shops"))
    assert "shops (Point)" in said
    path = layer(tmp_path / "two.gpkg", CROSS, called="rivers")
    layer(path, CROSS, called="borders")
    assert "several layers hold lines (rivers, borders)" in refused(path)
    layer(path, CROSS, called="roads")
    assert wayfront.open_network(path, cache=False).arc_count == 6
    metres = layer(tmp_path / "metres.shp", [LineString([(400000, 5500000), (400100, 5500000)])])
    metres.with_suffix(".prj").unlink()
    assert "coordinate reference system" in refused(metres)
    kinds = layer(tmp_path / "rivers.gpkg", CROSS, highway=["river", "river"])
    assert "none of the 2 highways" in refused(kinds)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = layer(tmp_path / "roads.gpkg", CROSS)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 3])
    assert "cannot be read" in refused(path)
    text = layer(tmp_path / "roads.geojson", CROSS)
    os.truncate(text, text.stat().st_size - 40)
    assert "cannot be read" in refused(text)


def test_points_beyond_the_earth_are_no_places(tmp_path: Path) -> None:
    far = LineString([(8.0, 50.0), (8.001, 50.0), (500.0, 50.0)])
    path = layer(tmp_path / "roads.geojson", [far])
    network = wayfront.open_network(path, cache=False)
    assert network.arc_count == 2
    assert "cut where they name nodes" in " ".join(network.notes)
