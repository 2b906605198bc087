"""Tables of points: every format gives the same places, and what is no point is refused with file and line."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from threading import Event
from typing import Any

import geopandas
import numpy as np
import pandas
import polars
import pyarrow
import pytest
import shapely

import wayfront
from wayfront.safe.errors import FormatError, MissingPackageError, OpenCancelled, OptionError

TABLE = 'id,name,lon,lat,weight\n7,Baker,8.5,50.25,3\n9,"Café, old",-8.125,41.5,0.5\n'
COORDINATES = [[8.5, 50.25], [-8.125, 41.5]]


def written(folder: Path, text: str | bytes, name: str = "shops.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def assert_shops(places: wayfront.Places) -> None:
    assert places.coordinates.tolist() == COORDINATES
    assert places.ids.tolist() == [7, 9]
    assert places.names.tolist() == ["Baker", "Café, old"]
    assert places.weights.tolist() == [3, 0.5]


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        TABLE.replace("\n", "\r\n"),
        "\ufeff" + TABLE.replace("lon", " LON ").replace("lat", "Latitude"),
        "Population;lng;lat;NAME;id\n3;8,5;50,25;Baker;7\n\n0,5;-8,125;41,5;Café, old;9",
        "wkt\tid\tname\tweight\nPOINT (8.5 50.25)\t7\tBaker\t3\nPOINT Z(-8.125 41.5 7)\t9\tCafé, old\t0.5\n",
    ],
)
def test_texts_are_read_alike(tmp_path: Path, text: str) -> None:
    assert_shops(wayfront.Places.read(written(tmp_path, text)))
    assert_shops(wayfront.Places.read(written(tmp_path, gzip.compress(text.encode()), "shops.csv.gz")))


def test_the_first_column_has_the_ids_where_it_is_called_so() -> None:
    where = {"lon": [8.5, 9.0], "lat": [50.25, 50.0]}
    assert wayfront.Places.from_pandas({"Address_ID": ["A1", "A2"], **where}).ids.tolist() == ["A1", "A2"]
    assert wayfront.Places.from_pandas({"zone_id": [7, 7], "code": ["x", "y"], **where}).ids.tolist() == ["x", "y"]
    assert wayfront.Places.from_pandas({**where, "zone_id": [7, 7]}).ids.tolist() == [1, 2]


def test_frames_are_read_alike(tmp_path: Path) -> None:
    frame = pandas.read_csv(written(tmp_path, TABLE))
    shapes = geopandas.GeoDataFrame(frame.drop(columns=["lon", "lat"]), geometry=shapely.points(COORDINATES), crs=4326)
    projected = shapes.to_crs(3857)
    assert_shops(wayfront.Places.from_pandas(frame))
    assert_shops(wayfront.Places.from_pandas(frame.drop(columns="id").set_index(frame.id)))
    assert_shops(wayfront.Places.from_pandas(polars.from_pandas(frame)))
    assert_shops(wayfront.Places.from_pandas(pyarrow.Table.from_pandas(frame)))
    assert_shops(wayfront.Places.from_pandas(frame.to_dict("list")))
    assert_shops(wayfront.Places.from_geodataframe(shapes))
    again = wayfront.Places.from_geodataframe(projected)
    np.testing.assert_allclose(again.coordinates, COORDINATES, atol=1e-9)
    frame.to_parquet(tmp_path / "plain.parquet")
    shapes.to_parquet(tmp_path / "shapes.parquet")
    assert_shops(wayfront.Places.read(tmp_path / "plain.parquet"))
    assert_shops(wayfront.Places.read(tmp_path / "shapes.parquet"))
    for suffix in ("geojson", "gpkg", "fgb"):
        shapes.to_file(tmp_path / f"shapes.{suffix}")
        read = wayfront.Places.read(tmp_path / f"shapes.{suffix}")
        order = np.argsort(read.ids)  # FlatGeobuf orders features in space
        assert_shops(read.chosen(order))
    projected.to_file(tmp_path / "projected.gpkg")
    np.testing.assert_allclose(wayfront.Places.read(tmp_path / "projected.gpkg").coordinates, COORDINATES, atol=1e-9)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "geojson", "gpkg"])
def test_what_is_saved_is_read_again(tmp_path: Path, suffix: str) -> None:
    places = wayfront.Places.read(written(tmp_path, TABLE))
    places.save(tmp_path / f"saved.{suffix}")
    assert_shops(wayfront.Places.read(tmp_path / f"saved.{suffix}"))


def test_a_geopackage_is_written_without_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = wayfront.Places.from_arrays(*np.array(COORDINATES).T, ids=np.array([7, "b"], object), names=["A", "B"])
    with monkeypatch.context() as missing:
        for name in ("geopandas", "pyogrio", "pandas"):
            missing.setitem(sys.modules, name, None)
        places.save(tmp_path / "shops.gpkg")
    again = wayfront.Places.read(tmp_path / "shops.gpkg")
    assert again.ids.tolist() == ["7", "b"]
    assert again.names.tolist() == ["A", "B"]
    assert again.coordinates.tolist() == COORDINATES


def test_projected_coordinates_go_in_and_out(tmp_path: Path) -> None:
    places = wayfront.Places.read(written(tmp_path, TABLE))
    places.save(tmp_path / "projected.csv", crs="EPSG:3857")
    again = wayfront.Places.read(tmp_path / "projected.csv", x="x", y="y", crs="EPSG:3857")
    np.testing.assert_allclose(again.coordinates, COORDINATES, atol=1e-9)
    places.save(tmp_path / "projected.gpkg", crs="EPSG:3857")
    assert geopandas.read_file(tmp_path / "projected.gpkg").crs.to_epsg() == 3857
    with pytest.raises(OptionError, match="GeoJSON is in degrees"):
        places.save(tmp_path / "projected.geojson", crs=3857)
    with pytest.raises(OptionError, match="no coordinate reference system"):
        places.to_geodataframe("EPSG:no")
    with pytest.raises(OptionError, match=r"written as \.csv"):
        places.save(tmp_path / "places.txt")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 0, "the table is empty"),
        ("lon,lat\n", 0, "has no rows"),
        ("8.5,50.25\n8.5,50.25\n", 1, "the first line holds numbers"),
        (
            "a,b\n1,2\n",
            0,
            "no columns of coordinates: call them lon and lat, x and y, or wkt, or name them; it has: a, b",
        ),
        ("lon,lat\nx,y\n", 2, "column 'lon' holds no numbers"),
        ("lon,lat\n1,2\n3,north\n", 3, "lat 'north' is no number"),
        ("lon,lat\n1,2\n\n3,\n", 4, "there is no lat"),
        ('lon,lat,name\n1,2,"a\nb"\n3,nan,c\n', 4, "there is no lat|lat 'nan' is no number"),
        ("lon,lat\n1,2\n3\n", 3, "1 fields, where the first line has 2"),
        ("lon,lat,name\n41,2,a\n8,139.7,b\n", 3, "are longitude and latitude in each other's columns"),
        ("lon,lat\n1,2\n1,inf\n", 3, "lat 'inf' is no number"),
        ("lon,lat,weight\n1,2,3\n1,2,-3\n", 3, "weight '-3' is below 0"),
        ("lon,lat,weight\n1,2,3\n1,2,\n", 3, "there is no weight"),
        ("lon,lat,weight\n1,2,3\n1,2,many\n", 3, "weight 'many' is no number"),
        ("wkt\nPOINT (1 2)\nLINESTRING (1 2, 3 4)\n", 3, "is no point: write POINT"),
        ("x,y\n512345,4567890\n512346,4567891\n", 0, "nothing says what they are"),
    ],
)
def test_rows_that_are_no_points_are_refused_with_their_line(
    tmp_path: Path, text: str, line: int, problem: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError, match=problem) as raised:
        wayfront.Places.read(path)
    assert str(raised.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_files_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    for content, name, problem in (
        (b"lon,lat\n1,2\n\xe9,1\n", "latin.csv", r"latin.csv:3: the text is not UTF-8"),
        (b"PK\x03\x04", "book.xlsx", "save the sheet with the points as CSV"),
        (b"\x00\x01\x02" * 99, "binary.dat", "cannot be read"),
        (b"PAR1" + bytes(99), "broken.parquet", "the Parquet file cannot be read"),
        (b'{"type": "FeatureCollection", "features": [', "cut.geojson", "cannot be read"),
        (b'lon,lat\n1,2\n3,"4\n', "quote.csv", "quotation mark left open"),
        (b"lon,lat\n" + b"1" * (20 << 20), "long.csv", "a line is longer than 16 MB"),
        (gzip.compress(b"lon,lat\n1,2\n")[:-9], "cut.csv.gz", "cut off"),
    ):
        with pytest.raises(FormatError, match=problem):
            wayfront.Places.read(written(tmp_path, content, name))
    with pytest.raises(FormatError, match="no such file"):
        wayfront.Places.read(tmp_path / "none.csv")
    with pytest.raises(FormatError, match="this is a folder"):
        wayfront.Places.read(tmp_path)


def test_columns_that_are_named_go_before_those_that_are_known(tmp_path: Path) -> None:
    path = written(tmp_path, "lon,lat,east,north,jobs,007\n0,0,8.5,50.25,4,a\n")
    places = wayfront.Places.read(path, x="east", y="NORTH", weight="jobs", id="007")
    assert places.coordinates.tolist() == [[8.5, 50.25]] and places.weights.tolist() == [4]
    assert places.ids.tolist() == ["a"]
    with pytest.raises(FormatError, match="there is no column 'beds'; it has: lon, lat"):
        wayfront.Places.read(path, weight="beds")
    with pytest.raises(OptionError, match="name both"):
        wayfront.Places.read(path, x="east")


def test_rows_that_are_no_points_are_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "lon,lat,name\n1,2,a\n,2,b\nx,2,c\n3,4,d\n")
    places = wayfront.Places.read(path, leave_out=True)
    assert places.names.tolist() == ["a", "d"] and places.ids.tolist() == [1, 4]
    assert places.left_out == ("line 3: there is no lon", "line 4: lon 'x' is no number")
    with pytest.raises(FormatError, match=r"shops.csv:2: no row is a point; of the first: there is no lon"):
        wayfront.Places.read(written(tmp_path, "lon,lat\n,2\n1,\n"), leave_out=True)
    frame = pandas.DataFrame({"lon": [1.0, np.nan], "lat": [2.0, 2.0]})
    assert wayfront.Places.from_pandas(frame, leave_out=True).left_out == ("row 2: there is no lon",)
    with pytest.raises(FormatError, match=r"^row 2: there is no lon"):
        wayfront.Places.from_pandas(frame)


def test_of_outlines_a_point_on_them_is_taken() -> None:
    shapes = [shapely.box(1, 2, 3, 4), shapely.Point(5, 6)]
    frame = geopandas.GeoDataFrame({"name": ["hall", "stop"]}, geometry=shapes, crs=4326)
    places = wayfront.Places.from_geodataframe(frame)
    assert places.coordinates.tolist() == [[2, 3], [5, 6]]
    assert places.notes == ("1 of 2 shapes are no points: a point on each was taken.",)
    with pytest.raises(FormatError, match="row 2: there is no point"):
        wayfront.Places.from_geodataframe(geopandas.GeoDataFrame(geometry=[shapely.Point(1, 2), None], crs=4326))


def test_layers_are_chosen_by_what_they_hold(tmp_path: Path) -> None:
    path, points = tmp_path / "town.gpkg", shapely.points(COORDINATES)
    geopandas.GeoDataFrame({"id": [7, 9]}, geometry=points, crs=4326).to_file(path, layer="stops")
    lines = [shapely.LineString(COORDINATES)]
    geopandas.GeoDataFrame({"id": [1]}, geometry=lines, crs=4326).to_file(path, layer="roads")
    assert wayfront.Places.read(path).ids.tolist() == [7, 9]
    geopandas.GeoDataFrame({"id": [1]}, geometry=points[:1], crs=4326).to_file(path, layer="shops")
    with pytest.raises(FormatError, match="which layer holds the points"):
        wayfront.Places.read(path)
    assert wayfront.Places.read(path, layer="shops").ids.tolist() == [1]
    with pytest.raises(FormatError, match="there is no layer 'parks'"):
        wayfront.Places.read(path, layer="parks")


def test_reading_reports_and_is_cancelled(tmp_path: Path) -> None:
    path = written(tmp_path, "lon,lat\n" + "8.5,50.25\n" * 1000)
    seen: list[float] = []
    wayfront.Places.read(path, progress=lambda _stage, part: seen.append(part))
    assert seen == sorted(seen) and seen[-1] == 1
    stop = Event()
    stop.set()
    with pytest.raises(OpenCancelled):
        wayfront.Places.read(path, cancel=stop)


@pytest.mark.parametrize(("name", "missing"), [("shops.geojson", "pyogrio"), ("shops.parquet", "pyarrow")])
def test_what_needs_a_package_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, missing: str) -> None:
    path = tmp_path / name
    wayfront.Places.read(written(tmp_path, TABLE)).save(path)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingPackageError, match=missing):
        wayfront.Places.read(path)


@pytest.mark.parametrize("values", [None, [True, False], [[1, 2], [3, 4]], ["a", "b"], [1.0, np.nan], [10**400, 1]])
def test_arrays_that_are_no_points_are_refused(values: Any) -> None:
    with pytest.raises((FormatError, OptionError)):
        wayfront.Places.from_arrays(values, [1.0, 2.0])
