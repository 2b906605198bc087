"""Flows become tables and files of roads and nodes, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas
import numpy as np
import pandas
import pytest

import wayfront
from search_checks import random_arcs
from wayfront.safe.errors import NetworkError, OptionError, WriteError


@pytest.fixture(scope="module")
def found() -> wayfront.Flows:
    town = wayfront.open_network("synthetic:grid?columns=6&rows=5")
    return wayfront.flows(town, sources=range(20), figures=True, device="cpu")


def test_roads_carry_what_both_their_arcs_do(found: wayfront.Flows) -> None:
    roads, network = found.roads(), found.network
    assert roads.flow.sum() == found.arc_flow.sum()
    assert (roads.ahead + roads.back == roads.flow).all()
    for arc, ahead, back in zip(roads.arcs.tolist(), roads.ahead.tolist(), roads.back.tolist(), strict=True):
        tail, head = int(network.tails()[arc]), int(network.targets[arc])
        assert ahead == found.arc_flow[wayfront.arcs_between(network, [tail], [head])].sum()
        assert back == found.arc_flow[wayfront.arcs_between(network, [head], [tail])].sum()


@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".parquet"])
def test_files_of_roads_are_lines_with_flows(suffix: str, found: wayfront.Flows, tmp_path: Path) -> None:
    path = tmp_path / f"flows{suffix}"
    found.save(path)
    frame = geopandas.read_parquet(path) if suffix == ".parquet" else geopandas.read_file(path, layer="roads") \
        if suffix == ".gpkg" else geopandas.read_file(path)  # fmt: skip
    expected = found.to_geodataframe()
    assert frame["flow"].tolist() == expected["flow"].tolist()
    assert frame.geometry.geom_equals_exact(expected.geometry, 1e-9).all()
    if suffix == ".gpkg":
        nodes = geopandas.read_file(path, layer="nodes")
        assert nodes["through"].tolist() == found.through.tolist()
        assert nodes["reach"].isna().sum() == 10
        found.save(path, "EPSG:3857")
        assert geopandas.read_file(path, layer="roads").crs.to_epsg() == 3857


def test_files_of_roads_without_a_map_are_tables(tmp_path: Path) -> None:
    network = random_arcs(6, 20, 5, 1)
    found = wayfront.flows(network, ties="all", device="cpu")
    found.save(tmp_path / "flows.csv")
    found.save(tmp_path / "flows.parquet")
    for frame in (pandas.read_csv(tmp_path / "flows.csv"), pandas.read_parquet(tmp_path / "flows.parquet")):
        assert np.allclose(frame["flow"], found.to_pandas()["flow"], rtol=1e-15)
        assert np.isclose(frame["flow"].sum(), found.arc_flow.sum())
    found.save_nodes(tmp_path / "nodes.csv")
    assert pandas.read_csv(tmp_path / "nodes.csv")["through"].tolist() == found.through.tolist()
    for path in (tmp_path / "flows.gpkg", tmp_path / "flows.geojson"):
        with pytest.raises(NetworkError, match="no coordinates"):
            found.save(path)
    with pytest.raises(NetworkError, match="no coordinates"):
        found.save_nodes(tmp_path / "nodes.gpkg")


@pytest.mark.parametrize("suffix", [".csv", ".geojson", ".gpkg", ".parquet"])
def test_files_of_nodes_have_what_passes_them(suffix: str, found: wayfront.Flows, tmp_path: Path) -> None:
    path = tmp_path / f"nodes{suffix}"
    found.save_nodes(path)
    read = {".csv": pandas.read_csv, ".parquet": geopandas.read_parquet}.get(suffix, geopandas.read_file)
    frame = read(path)
    assert frame["through"].tolist() == found.through.tolist()
    assert len(found.nodes_to_geodataframe()) == len(frame)


def test_what_cannot_be_written_is_refused_and_leaves_nothing(found: wayfront.Flows, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="unknown suffix"):
        found.save(tmp_path / "flows.xyz")
    with pytest.raises(OptionError, match="degrees alone"):
        found.save(tmp_path / "flows.geojson", "EPSG:3857")
    with pytest.raises(WriteError):
        found.save(tmp_path / "no" / "flows.csv")
    assert list(tmp_path.iterdir()) == []
    found.save(tmp_path / "flows.geojson")
    assert json.loads((tmp_path / "flows.geojson").read_text())["features"][0]["geometry"]["type"] == "LineString"
