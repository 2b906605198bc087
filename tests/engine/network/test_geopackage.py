"""GeoPackages, as other programs read them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import geopandas
import numpy as np
import pytest

from wayfront.network.geopackage import Layer, LineStrings, write_geopackage
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


@pytest.mark.parametrize("crs", [None, "EPSG:32629"])
def test_lines_of_arrays_are_those_of_lists(crs: str | None, tmp_path: Path) -> None:
    places = np.array([[-8.6, 41.1], [-8.5, 41.2], [-8.7, 41.3], [-8.6, 41.0], [-8.4, 41.1], [-8.3, 41.4], [-8.2, 41]])
    offsets, names = np.array([0, 2, 5, 7]), ["one", None, "three"]
    lines = [places[first:last].tolist() for first, last in pairwise(offsets.tolist())]
    write_geopackage(tmp_path / "arrays.gpkg", [LineStrings("ways", places, offsets, {"name": names}, "somebody")], crs)
    rows = [(line, {"name": name}) for line, name in zip(lines, names, strict=True)]
    write_geopackage(tmp_path / "lists.gpkg", [Layer("ways", "LineString", rows, "somebody")], crs)
    kept = []
    for name in ("arrays", "lists"):
        with closing(sqlite3.connect(tmp_path / f"{name}.gpkg")) as base:
            bounds = base.execute("SELECT min_x, min_y, max_x, max_y, description FROM gpkg_contents").fetchall()
            kept.append((base.execute("SELECT * FROM ways").fetchall(), bounds))
    assert kept[0] == kept[1] and len(kept[0][0]) == 3
    write_geopackage(tmp_path / "none.gpkg", [LineStrings("ways", places[:0], offsets[:1], {"name": []})], crs)
    assert geopandas.read_file(tmp_path / "none.gpkg").empty


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "near.gpkg"
    write_geopackage(path, [POINTS])
    before = path.read_bytes()
    with pytest.raises(KeyError):
        write_geopackage(path, [Layer("odd", "Point", [([1.0, 2.0], {"what": object()})])])
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    with pytest.raises(WriteError):
        write_geopackage(tmp_path / "missing" / "near.gpkg", [POINTS])
