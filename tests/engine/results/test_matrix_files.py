"""A matrix on disk names its rows and columns, replaces nothing, and deletes nothing of somebody else's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from wayfront.network.details import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results import matrix_files as rows
from wayfront.results.matrix_files import UNFINISHED, MatrixLabels, RowsInFile
from wayfront.safe.errors import WriteError
from wayfront.searching.all_pairs import driving as procedure

NAME = "dijkstra-in-turn"
EXPECTED = [[0, 3, -1, 8], [-1, -1, 0, -1]]


def chain(names: NodeNames | None = None) -> RoadNetwork:
    """Return nodes 70, 10, 40 and 30, of which an arc leads to all but 40."""
    return RoadNetwork.from_arcs(
        name="chain",
        node_count=4,
        tails=np.array([0, 1]),
        heads=np.array([1, 3]),
        metrics=[Metric("length", "m", 0.25, np.array([3, 5], np.int32))],
        node_ids=np.array([70, 10, 40, 30]),
        node_names=names,
    )


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    return chain()


def kept(network: RoadNetwork, path: Path, **asked: Any) -> Any:
    return wayfront.all_pairs(network, NAME, "cpu", sources=[0, 2], keep=path, runs=0, **asked).matrix


def test_a_file_has_its_ids_beside_it(network: RoadNetwork, tmp_path: Path) -> None:
    assert kept(network, tmp_path / "all.npy").tolist() == EXPECTED
    with np.load(tmp_path / "all.ids.npz", allow_pickle=False) as labels:
        assert labels["origin"].tolist() == [70, 40]
        assert labels["destination"].tolist() == [70, 10, 40, 30]
        assert (labels["unit"].item(), labels["scale"].item(), labels["unreached"].item()) == ("m", 0.25, -1)
        assert (labels["metric"].item(), labels["network"].item()) == ("length", "chain")
        assert "origin_name" not in labels
    named = chain(NodeNames.of(["Rome", "Ostia", "", "Zürich"]))
    kept(named, tmp_path / "named.npy")
    with np.load(tmp_path / "named.ids.npz", allow_pickle=False) as labels:
        assert labels["origin_name"].tolist() == ["Rome", ""]
        assert labels["destination_name"].tolist() == ["Rome", "Ostia", "", "Zürich"]


def test_a_zarr_group_is_laid_out_as_xarray_reads_it(tmp_path: Path) -> None:
    """An array for each dimension that has its name is its coordinate; every array names its dimensions (Zarr 3)."""
    zarr, path = pytest.importorskip("zarr"), tmp_path / "all.zarr"
    named = chain(NodeNames.of(["Rome", "Ostia", "", "Zürich"]))
    assert kept(named, path)[:].tolist() == EXPECTED
    group = zarr.open_group(store=str(path), mode="r")
    assert set(group.array_keys()) == {"distance", "origin", "destination"}
    dimensions = {name: array.metadata.dimension_names for name, array in group.arrays()}
    assert dimensions == {
        "distance": ("origin", "destination"),
        "origin": ("origin",),
        "destination": ("destination",),
    }
    assert group["origin"][:].tolist() == [70, 40]
    assert group["destination"][:].tolist() == [70, 10, 40, 30]
    assert group["origin"].attrs["names"] == ["Rome", ""]
    attributes = dict(group["distance"].attrs)
    assert (attributes["unit"], attributes["scale"], attributes["unreached"]) == ("m", 0.25, -1)
    assert not attributes.keys() & {"units", "scale_factor", "add_offset", "_FillValue"}, "xarray would decode by these"
    assert dict(group.attrs) == attributes, "nothing says that it is unfinished"
    written = json.loads((path / "distance" / "zarr.json").read_text("utf-8"))
    assert (written["zarr_format"], written["dimension_names"]) == (3, ["origin", "destination"])


def test_xarray_opens_it(network: RoadNetwork, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    xarray = pytest.importorskip("xarray")
    kept(network, tmp_path / "all.zarr")
    found = xarray.open_zarr(tmp_path / "all.zarr", consolidated=False)
    assert found["distance"].dims == ("origin", "destination")
    assert int(found["distance"].sel(origin=70, destination=30)) == 8


@pytest.mark.parametrize("name", ["all.npy", "all.zarr"])
def test_nothing_is_replaced(network: RoadNetwork, tmp_path: Path, name: str) -> None:
    if name.endswith(".zarr"):
        pytest.importorskip("zarr")
    kept(network, tmp_path / name)
    before = contents(tmp_path)
    with pytest.raises(WriteError, match=f"{name} cannot be written: it exists already; delete it or choose another"):
        kept(network, tmp_path / name)
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("noted", [False, True])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", ["all.npy", "all.zarr"])
def test_what_is_somebody_elses_stays(tmp_path: Path, name: str, noted: bool, wide: bool) -> None:
    """Neither what has the name of an unfinished matrix, nor of the one that is read while it is widened."""
    if name.endswith(".zarr"):
        pytest.importorskip("zarr")
    largest = 2**31 - 1
    network = RoadNetwork.from_arcs(
        name="long",
        node_count=3,
        tails=np.array([0, 1]),
        heads=np.array([1, 2]),
        metrics=[Metric("length", "m", 1.0, np.array([largest, largest], np.int32))],
    )
    (theirs := tmp_path / f"{name}.part{'.32' if wide else ''}").mkdir()
    (theirs / "thesis.txt").write_text("three years", encoding="utf-8")
    checkpoint = tmp_path / "all.wfpairs" if noted else None
    with pytest.raises(WriteError, match=r"it exists already and is no unfinished matrix; move it away or choose"):
        wayfront.all_pairs(network, "relax-update-in-turn", "cpu", keep=tmp_path / name, runs=0, checkpoint=checkpoint)
    assert (theirs / "thesis.txt").read_text(encoding="utf-8") == "three years"
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("content", [b"\x93NUMPY", b"half a download", b"\x93NUMPY\x01\x00\x02\x00{}"])
def test_a_file_of_somebody_elses_stays(network: RoadNetwork, tmp_path: Path, content: bytes) -> None:
    theirs = tmp_path / "all.npy.part"
    theirs.write_bytes(content)
    with pytest.raises(WriteError, match=r"all\.npy\.part cannot be written: it exists already and is no unfinished"):
        kept(network, tmp_path / "all.npy")
    assert theirs.read_bytes() == content
    theirs.unlink()
    (tmp_path / "thesis.txt").write_text("three years", encoding="utf-8")
    theirs.symlink_to("thesis.txt")
    with pytest.raises(WriteError, match="is no unfinished matrix"):
        kept(network, tmp_path / "all.npy")
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "three years"


@pytest.mark.parametrize("name", ["all.npy", "all.zarr"])
def test_what_a_killed_search_left_is_no_hindrance(
    network: RoadNetwork, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.endswith(".zarr"):
        pytest.importorskip("zarr")
    with monkeypatch.context() as killed:
        killed.setattr(procedure.AllPairs, "_end_early", lambda self: self._rows.close())
        killed.setattr(rows.RowsInFile, "take", interrupted)
        killed.setattr(rows.RowsInZarr, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            kept(network, tmp_path / name)
    assert (tmp_path / f"{name}.part").exists()
    assert np.asarray(kept(network, tmp_path / name)).tolist() == EXPECTED
    assert not (tmp_path / f"{name}.part").exists()


def interrupted(*_arguments: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("header", [b"{'descr': ('<i4', \n", b"{'descr'", b"", b"[" * 400])
def test_a_damaged_header_is_no_unfinished_matrix(header: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    np.save(path, np.zeros((2, 2), np.int32))
    whole = path.read_bytes()
    size = int.from_bytes(whole[8:10], "little")
    path.with_name(path.name + UNFINISHED).write_bytes(whole[:10] + header.ljust(size)[:size] + whole[10 + size :])
    ring = wayfront.open_network("synthetic:ring?nodes=2")
    assert not RowsInFile(path, MatrixLabels(ring, ring.metrics[0], np.arange(2, dtype=np.int32))).reopen()


@pytest.mark.parametrize("left", [0, 3, 4, 11])
def test_a_row_that_was_cut_off_ends_without_paths(left: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    np.save(path, np.array([[0, 5, 7], [5, 0, 2]], np.int32))
    whole = path.read_bytes()
    path.with_name(path.name + UNFINISHED).write_bytes(whole[: len(whole) - 12 + left])
    path.unlink()
    ring = wayfront.open_network("synthetic:ring?nodes=3")
    rows = RowsInFile(path, MatrixLabels(ring, ring.metrics[0], np.arange(2, dtype=np.int32)))
    assert rows.reopen()
    assert rows.row(0).tolist() == [0, 5, 7]
    kept = left // 4
    assert rows.row(1)[:kept].tolist() == [5, 0, 2][:kept]
    assert rows.row(1)[-1] != 2 and len(rows.row(1)) == 3
    rows.prepare(np.dtype(np.int64))
    assert rows.row(0).tolist() == [0, 5, 7]
    rows.discard()
