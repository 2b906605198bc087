"""Tables, routes and layers as GeoPackages, and in other coordinate reference systems, as GeoPandas reads them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pandas
import pytest

import wayfront
from wayfront.network.geopackage import Layer, Points, write_geopackage
from wayfront.network.projection import Projection
from wayfront.network.road_network import RoadNetwork
from wayfront.results.node_files import NodeTable
from wayfront.results.result import Result
from wayfront.results.route import save_routes
from wayfront.safe.errors import MemoryShortError, MissingPackageError, NetworkError, OptionError

NEW_YORK = "EPSG:2263"
"""New York's own grid, in feet."""


@pytest.fixture(scope="module")
def town() -> RoadNetwork:
    """A grid of streets, some of them with names, and one node that none reaches."""
    grid = wayfront.open_network("synthetic:city?nodes=2000")
    assert grid.coordinates is not None
    middle = grid.coordinates.mean(axis=0).astype(np.int32)
    return grid.with_coordinates(grid.coordinates - middle + np.array([-73_980_000, 40_750_000], np.int32))


@pytest.fixture(scope="module")
def tree(town: RoadNetwork) -> Result:
    return wayfront.search(town, 0, "dijkstra", "cpu", closures=np.arange(int(town.offsets[9]), int(town.offsets[10])))


@pytest.mark.parametrize("crs", [None, NEW_YORK])
def test_distances_come_back_from_a_geopackage(tree: Result, tmp_path: Path, crs: str | None) -> None:
    path = tmp_path / "distances.gpkg"
    NodeTable.of(tree).save(path, crs)
    found = geopandas.read_file(path, layer="nodes").set_index("node")
    expected = tree.to_geodataframe(crs).sort_index()
    assert found.crs == expected.crs == (crs or "EPSG:4326")
    assert found.index.tolist() == expected.index.tolist()
    assert found.geometry.geom_equals_exact(expected.geometry, 1e-6).all()
    assert found["distance"].tolist() == NodeTable.of(tree).columns["distance"].values.tolist()  # type: ignore[union-attr]
    np.testing.assert_allclose(found["cost"], expected["cost"].astype(float), rtol=1e-12)
    assert found["parent"].isna().sum() == (tree.parents < 0).sum()
    assert geopandas.list_layers(path)["geometry_type"].tolist() == ["Point"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_tables_have_projected_coordinates_on_request(tree: Result, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"distances{suffix}"
    NodeTable.of(tree).save(path, NEW_YORK)
    read: dict[str, Callable[[Path], Any]] = {".csv": pandas.read_csv, ".parquet": pandas.read_parquet, ".npz": np.load}
    found = read[suffix](path)
    points = tree.to_geodataframe(NEW_YORK).sort_index().geometry
    np.testing.assert_allclose(found["x"], points.x, atol=6e-4)
    np.testing.assert_allclose(found["y"], points.y, atol=6e-4)


def test_routes_and_their_streets_are_layers(town: RoadNetwork, tree: Result, tmp_path: Path) -> None:
    targets = np.flatnonzero(tree.reached)[[100, 200]].tolist()
    routes = [tree.route(target) for target in [*targets, tree.source]]
    save_routes(routes, tmp_path / "ways.gpkg", NEW_YORK)
    ways = geopandas.read_file(tmp_path / "ways.gpkg", layer="routes")
    assert ways["to"].tolist() == town.node_ids[[*targets, tree.source]].tolist()
    assert ways["distance"].tolist() == [route.distance for route in routes]
    assert ways.crs == NEW_YORK
    projection = Projection.of(NEW_YORK)
    assert projection is not None
    np.testing.assert_allclose(ways.geometry[0].coords, projection.places(routes[0].line), atol=1e-6)
    assert len(ways.geometry[2].coords) == 2  # a line that stays where it is
    streets = geopandas.read_file(tmp_path / "ways.gpkg", layer="streets")
    routes[0].save(tmp_path / "way.gpkg")
    alone = geopandas.read_file(tmp_path / "way.gpkg", layer="streets")
    frame = routes[0].to_geodataframe()
    assert streets["route"].value_counts().to_dict()[1] == len(alone) == len(frame)
    assert alone["name"].tolist() == frame["name"].tolist()
    assert alone.geometry.geom_equals_exact(frame.geometry, 1e-9).all()


def test_frames_of_a_network_and_of_several_sources_are_projected(town: RoadNetwork, tree: Result) -> None:
    nodes, arcs = town.to_geodataframes(NEW_YORK)
    assert nodes.crs == arcs.crs == NEW_YORK
    x, y = nodes.geometry.iloc[0].coords[0]
    assert 900_000 < x < 1_100_000 and 100_000 < y < 300_000
    several = wayfront.search_nearest(town, [0, 9], device="cpu")
    assert several.to_geodataframe(NEW_YORK).geometry.iloc[0] == nodes.geometry.iloc[0]
    assert tree.route(tree.source).to_geodataframe(NEW_YORK).crs == NEW_YORK


def test_areas_are_projected_and_systems_without_a_number_kept(tmp_path: Path) -> None:
    own = "+proj=laea +lat_0=40.7 +lon_0=-74 +units=m"
    square = [[[[-74.0, 40.7], [-73.9, 40.7], [-73.9, 40.8], [-74.0, 40.7]]]]
    layers = [Layer("areas", "MultiPolygon", [(square, {"name": None, "n": 1}), ([], {"n": None})])]
    write_geopackage(tmp_path / "areas.gpkg", layers, own)
    found = geopandas.read_file(tmp_path / "areas.gpkg")
    assert found.geometry[0].geoms[0].exterior.coords[0] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert found.geometry[1].is_empty and "Lambert Azimuthal" in found.crs.to_wkt()
    assert found["n"].tolist()[0] == 1 and pandas.isna(found["n"][1]) and found["name"].isna().all()


def test_no_points_are_a_layer(tmp_path: Path) -> None:
    write_geopackage(tmp_path / "none.gpkg", [Points("none", np.empty((0, 2)), {"node": []})], NEW_YORK)
    assert len(geopandas.read_file(tmp_path / "none.gpkg")) == 0


@pytest.mark.parametrize("suffix", [".geojson", ".gpx"])
def test_formats_of_degrees_take_no_other_system(tree: Result, tmp_path: Path, suffix: str) -> None:
    with pytest.raises(OptionError, match=rf"a \{suffix} file holds degrees alone: write \.gpkg"):
        tree.route(tree.source).save(tmp_path / f"way{suffix}", NEW_YORK)
    with pytest.raises(OptionError, match="degrees alone"):
        NodeTable.of(tree).save(tmp_path / "nodes.geojson", NEW_YORK)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("crs", ["EPSG:1", "metres", 5, "EPSG:5773"])
def test_what_is_no_system_is_refused(tree: Result, tmp_path: Path, crs: object) -> None:
    for call in (tree.to_geodataframe, lambda crs: NodeTable.of(tree).save(tmp_path / "x.csv", crs)):
        with pytest.raises(OptionError, match=f"{crs!r} is no coordinate reference system that pyproj knows"):
            call(crs)
    assert not list(tmp_path.iterdir())


def test_places_that_a_system_does_not_reach_are_refused() -> None:
    projection = Projection.of("+proj=gnom +lat_0=90 +lon_0=0")
    assert projection is not None
    with pytest.raises(NetworkError, match="no coordinates for longitude and latitude 0, -50: choose another"):
        projection.places(np.array([[0.0, 80.0], [0.0, -50.0]]))


def test_without_pyproj_it_is_said_what_to_install(tree: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyproj", None)
    with pytest.raises(MissingPackageError, match=r"this needs pyproj: pip install \"wayfront\[interop\]\""):
        NodeTable.of(tree).save("x.csv", NEW_YORK)


def test_a_package_that_memory_does_not_hold_is_refused(
    tree: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryShortError):
        NodeTable.of(tree).save(tmp_path / "x.gpkg")
