"""GeoPackages, as other programs read them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import geopandas
import pytest

from wayfront.results.geopackage import Layer, write_geopackage
from wayfront.safe.errors import WriteError

SQUARE = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]]
HOLE = [[0.5, 0.5], [0.5, 1.0], [1.0, 1.0], [1.0, 0.5], [0.5, 0.5]]
AREAS = Layer(
    'areas "one"',
    "MultiPolygon",
    [([[SQUARE, HOLE]], {"label": "5 min; '", "nodes": 7, "share": 0.5}), ([], {"label": "nothing", "nodes": 0})],
    "© somebody",
)
POINTS = Layer("points", "Point", [([10.5, -50.25], {"node": 2**40})])


def test_layers_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "near.gpkg"
    write_geopackage(path, [AREAS, POINTS])
    assert geopandas.list_layers(path)["name"].tolist() == [AREAS.name, "points"]
    areas = geopandas.read_file(path, layer=AREAS.name)
    assert areas.crs.to_epsg() == 4326
    assert areas["label"].tolist() == ["5 min; '", "nothing"] and areas["nodes"].tolist() == [7, 0]
    assert areas.geometry[0].area == pytest.approx(3.75) and areas.geometry[1].is_empty
    point = geopandas.read_file(path, layer="points")
    assert point["node"].tolist() == [2**40]
    assert point.geometry[0].coords[0] == (10.5, -50.25)
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert base.execute("PRAGMA foreign_key_check").fetchall() == []
        bounds = base.execute("SELECT min_x, min_y, max_x, max_y, description FROM gpkg_contents").fetchall()
    base.close()
    assert bounds == [(0.0, 0.0, 2.0, 2.0, "© somebody"), (10.5, -50.25, 10.5, -50.25, "")]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "near.gpkg"
    write_geopackage(path, [POINTS])
    before = path.read_bytes()
    with pytest.raises(KeyError):
        write_geopackage(path, [Layer("odd", "Point", [([1.0, 2.0], {"what": object()})])])
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    with pytest.raises(WriteError):
        write_geopackage(tmp_path / "missing" / "near.gpkg", [POINTS])
