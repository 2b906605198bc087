"""The add-on for QGIS, run by the real one without a window, beside what the library finds itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
from shapely.geometry import LineString, Point

import qgis_addon
import wayfront

QGIS = shutil.which("qgis_process.bin") or shutil.which("qgis_process")
"""Debian's ``qgis_process`` adds an option that it does not know itself."""
needs_qgis = pytest.mark.skipif(QGIS is None, reason="needs QGIS (Debian's qgis and python3-qgis)")
STEP = 0.001
"""Degrees between the crossings of the town."""


def test_the_packed_addon_is_what_the_plugin_manager_installs(tmp_path: Path) -> None:
    qgis_addon.pack(tmp_path / "addon.zip")
    with zipfile.ZipFile(tmp_path / "addon.zip") as archive:
        assert {"wayfront/__init__.py", "wayfront/metadata.txt", "wayfront/wayfront.svg"} <= set(archive.namelist())
        about = archive.read("wayfront/metadata.txt").decode()
    assert f"version={wayfront.__version__}\n" in about
    assert "hasProcessingProvider=yes\n" in about


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with streets in a grid, one of them one-way, and a few points, in metres."""
    folder = tmp_path_factory.mktemp("town")
    lines, oneway = [], []
    for row in range(5):
        lines.append(LineString([(8 + column * STEP, 50 + row * STEP) for column in range(6)]))
        oneway.append("F" if row == 2 else "B")
    for column in range(6):
        lines.append(LineString([(8 + column * STEP, 50 + row * STEP) for row in range(5)]))
        oneway.append("B")
    roads = geopandas.GeoDataFrame({"way": oneway, "kmh": 30.0}, geometry=lines, crs="EPSG:4326")
    points = [Point(8.0, 50.0), Point(8.0023, 50.002), Point(8.0042, 50.0031)]
    shops = geopandas.GeoDataFrame({"code": ["a", "b", "c"], "beds": [1.0, 2.0, 4.0]}, geometry=points, crs="EPSG:4326")
    roads.to_crs("EPSG:25832").to_file(folder / "roads.gpkg")
    shops.to_crs("EPSG:25832").to_file(folder / "shops.gpkg")
    own = roads.assign(oneway=roads["way"], maxspeed=roads["kmh"])
    own.to_crs("EPSG:25832").to_file(folder / "own.gpkg")
    return folder


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of this checkout, as one file."""
    path = tmp_path_factory.mktemp("program") / "wayfront"
    found = os.pathsep.join(str(qgis_addon.REPOSITORY / part) for part in ("engine", "gui"))
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{found}" exec "{sys.executable}" -m wayfront "$@"\n')
    path.chmod(0o755)
    return path


def process(folder: Path, program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert QGIS is not None
    home = folder / "home"
    (home / "runtime").mkdir(0o700, parents=True, exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "QT_"))} | {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "runtime"),
        "QT_QPA_PLATFORM": "offscreen",
        "PATH": "/usr/bin:/bin",  # the Python that QGIS finds has to be the system's
        "QGIS_PLUGINPATH": str(qgis_addon.FOLDER.parent),
        "WAYFRONT_PROGRAM": str(program),
    }
    return subprocess.run([QGIS, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300)


def run(folder: Path, program: Path, algorithm: str, **parameters: Any) -> subprocess.CompletedProcess[str]:
    """Run an algorithm on the town, its roads given as a layer."""
    roads: dict[str, Any] = {"NETWORK": folder / "roads.gpkg", "DIRECTION_FIELD": "way", "SPEED_FIELD": "kmh"}
    roads |= {"VALUE_FORWARD": "F", "VALUE_BACKWARD": "T", "VALUE_BOTH": "B"}
    given = [f"{name}={value}" for name, value in (roads | parameters).items()]
    process(folder, program, "plugins", "enable", "wayfront")
    return process(folder, program, "run", f"wayfront:{algorithm}", "--", *given)


def output(done: subprocess.CompletedProcess[str], path: Path) -> geopandas.GeoDataFrame:
    assert done.returncode == 0, done.stdout + done.stderr
    return geopandas.read_file(path)


@needs_qgis
def test_a_matrix_is_that_of_the_library(town: Path, program: Path) -> None:
    path = town / "matrix.csv"
    points = {"ORIGINS": town / "shops.gpkg", "ORIGINS_ID": "code"}
    points |= {"DESTINATIONS": town / "shops.gpkg", "DESTINATIONS_ID": "code"}
    table = output(run(town, program, "matrix", **points, STRATEGY=1, OUTPUT=path), path)
    network = wayfront.open_network(town / "own.gpkg", cache=False)
    shops = wayfront.Places.read(town / "shops.gpkg", id="code")
    expected = wayfront.distance_matrix(network, shops, shops, metric="travel time", device="cpu")
    assert table["origin"].tolist() == [label for label in "abc" for _ in "abc"]
    assert table["destination"].tolist() == list("abcabcabc")
    times = table["travel_time"].astype(float)
    assert np.allclose(times, expected.values.ravel())
    assert np.ptp(times) > 0
    kept = town / "matrix.gpkg"
    same = output(run(town, program, "matrix", **points, STRATEGY=1, OUTPUT=kept), kept)
    assert same["travel_time"].dtype.kind == "f"
    assert same[["origin", "destination", "travel_time"]].equals(table.astype({"travel_time": float}))


@needs_qgis
def test_service_areas_are_those_of_the_library(town: Path, program: Path) -> None:
    path = town / "areas.gpkg"
    done = run(town, program, "serviceareas", POINTS=town / "shops.gpkg", CUTS="100,300", OUTPUT=path)
    areas = output(done, path)
    whole = output(run(town, program, "serviceareas", POINTS=town / "shops.gpkg", CUTS="1234567", OUTPUT=path), path)
    assert whole["within"].tolist() == [1234567]
    network = wayfront.open_network(town / "own.gpkg", cache=False)
    shops = wayfront.Places.read(town / "shops.gpkg")
    expected = wayfront.isochrones(network, shops.on(network), cuts=[100, 300], device="cpu").to_geodataframe()
    found, wanted = (table.to_crs("EPSG:25832").area.to_numpy() for table in (areas, expected))
    assert found == pytest.approx(wanted, rel=1e-4)  # files have whole microdegrees


@needs_qgis
def test_access_and_catchments_are_written(town: Path, program: Path) -> None:
    path = town / "access.gpkg"
    done = run(town, program, "access", PLACES=town / "shops.gpkg", PLACES_WEIGHT="beds", WITHIN="50,5000", OUTPUT=path)
    table = output(done, path)
    assert len(table) == 30
    assert (table.filter(like="5000").iloc[:, 0] == 7).all()
    path = town / "catchments.gpkg"
    areas = output(run(town, program, "nearest", PLACES=town / "shops.gpkg", PLACES_ID="code", OUTPUT=path), path)
    assert len(areas) == 3
    assert areas.geometry.is_valid.all()


@needs_qgis
def test_mistakes_are_explained(town: Path, program: Path) -> None:
    shops = town / "shops.gpkg"
    both = run(town, program, "nearest", NETWORK_FILE="x.osm", PLACES=shops, OUTPUT=town / "none.gpkg")
    assert both.returncode != 0
    assert "Choose either a layer of lines or a file of roads" in both.stdout + both.stderr
    far = geopandas.GeoDataFrame(geometry=[Point(20.0, 50.0)], crs="EPSG:4326")
    far.to_file(town / "far.gpkg")
    done = run(town, program, "nearest", PLACES=town / "far.gpkg", OUTPUT=town / "none.gpkg")
    assert done.returncode != 0
    assert "within 500 m" in done.stdout + done.stderr
    assert not (town / "none.gpkg").exists()
    for algorithm, name, points in (("access", "WITHIN", "PLACES"), ("serviceareas", "CUTS", "POINTS")):
        done = run(town, program, algorithm, **{name: "5 min", points: shops}, OUTPUT=town / "none.gpkg")
        assert "limits are numbers with commas between them" in done.stdout + done.stderr
        assert done.returncode != 0
    missing = run(town, town / "nothing", "nearest", PLACES=shops, OUTPUT=town / "none.gpkg")
    assert "there is no program" in missing.stdout + missing.stderr
    assert missing.returncode != 0
