"""Cuts are kept with their network and in files, found by shape; what a stranger changed is refused, or harmless."""

from __future__ import annotations

import dataclasses
import os
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_cuts import check_dissection, network_of_arcs
from wayfront import RoadNetwork
from wayfront.dissection import store
from wayfront.dissection.__main__ import main
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.cut.numbering import complete
from wayfront.dissection.shape import Dissection, shape_key
from wayfront.dissection.store import dissection_of, keep_dissection, load_cut, save_cut
from wayfront.network.road_network import Metric
from wayfront.safe.errors import FormatError, NetworkError, SchemaError, SearchCancelled
from wayfront.synthetic import from_name

GRID = "synthetic:grid?rows=12&columns=12"
NAMES = ("parent", "offsets", "node_at", "border_offsets", "border")


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    return from_name(GRID)


@pytest.fixture(scope="module")
def cells(network: RoadNetwork) -> Dissection:
    return dissect(network)


@pytest.fixture
def saved(tmp_path: Path, cells: Dissection) -> Path:
    save_cut(tmp_path / "grid.cut", cells)
    return tmp_path / "grid.cut"


def test_a_cut_survives_a_file(saved: Path, network: RoadNetwork, cells: Dissection) -> None:
    loaded = load_cut(saved, network)
    for name in NAMES:
        assert getattr(loaded, name).dtype == getattr(cells, name).dtype
        assert getattr(loaded, name).tolist() == getattr(cells, name).tolist()
        assert not getattr(loaded, name).flags.writeable
    assert (loaded.method, loaded.cut_ms, loaded.key) == (cells.method, cells.cut_ms, cells.key)


def test_a_cut_that_kahip_made_in_an_earlier_version_opens(
    tmp_path: Path, network: RoadNetwork, cells: Dissection
) -> None:
    save_cut(tmp_path / "old.cut", dataclasses.replace(cells, method="kahip"))
    loaded = load_cut(tmp_path / "old.cut", network)
    assert loaded.method == "kahip"
    check_dissection(network, loaded)


def test_a_cut_of_another_network_is_refused(saved: Path) -> None:
    other = from_name("synthetic:grid?rows=12&columns=13")
    with pytest.raises(FormatError, match=r"grid\.cut: it is the cut of another network, not of .*: cut this one anew"):
        load_cut(saved, other)


def test_weights_do_not_matter(saved: Path, network: RoadNetwork) -> None:
    tails, heads = network.tails(), network.targets
    check_dissection(network, load_cut(saved, network_of_arcs(network.node_count, np.stack((tails, heads), axis=1))))


@pytest.fixture(scope="module")
def mutable(tmp_path_factory: pytest.TempPathFactory, cells: Dissection) -> Path:
    path = tmp_path_factory.mktemp("cuts") / "mutable.cut"
    save_cut(path, cells)
    return path


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_mutated_files_are_refused_or_right(
    data: st.DataObject, network: RoadNetwork, cells: Dissection, mutable: Path
) -> None:
    save_cut(mutable, cells)
    raw = bytearray(mutable.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    mutable.write_bytes(raw[: data.draw(st.sampled_from([len(raw), len(raw) // 2, 0]))])
    try:
        loaded = load_cut(mutable, network)
    except FormatError:
        return
    check_dissection(network, loaded)


Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def _exchange_two_far_nodes(parent: np.ndarray, offsets: np.ndarray, node_at: np.ndarray) -> Arrays:
    node_at[[-1, offsets[1] + 3]] = node_at[[offsets[1] + 3, -1]]
    return parent, offsets, node_at


def _no_preorder(parent: np.ndarray, offsets: np.ndarray, node_at: np.ndarray) -> Arrays:
    parent[-1] = 0 if parent[-1] else 1
    parent[1:3] = parent[2:0:-1]
    return parent, offsets, node_at


def _a_parent_behind(parent: np.ndarray, offsets: np.ndarray, node_at: np.ndarray) -> Arrays:
    parent[2] = len(parent) - 1
    return parent, offsets, node_at


def _two_roots(parent: np.ndarray, offsets: np.ndarray, node_at: np.ndarray) -> Arrays:
    parent[1] = -1
    return parent, offsets, node_at


def _one_large_leaf(parent: np.ndarray, offsets: np.ndarray, node_at: np.ndarray) -> Arrays:
    return parent[:1], offsets[[0, -1]], node_at


def _many_children(_parent: np.ndarray, offsets: np.ndarray, node_at: np.ndarray) -> Arrays:
    return np.array([-1, 0, 0, 0], np.int32), np.array([0, offsets[-1], offsets[-1], offsets[-1], offsets[-1]]), node_at


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (_exchange_two_far_nodes, "an arc joins two cells of which neither is above the other"),
        (_no_preorder, "its cells are no tree in preorder"),
        (_a_parent_behind, "its cells are no tree in preorder"),
        (_two_roots, "its cells are no tree in preorder"),
        (_one_large_leaf, "a leaf has more than 24 nodes"),
        (_many_children, "a cell has more than two children"),
    ],
)
def test_cells_that_are_no_dissection_are_refused(
    spoil: Callable[..., Arrays], problem: str, network: RoadNetwork, cells: Dissection
) -> None:
    spoiled = spoil(cells.parent.copy(), cells.offsets.copy(), cells.node_at.copy())
    with pytest.raises(SchemaError, match=problem):
        complete(network, *spoiled, "coordinates", 1.0)


def test_borders_beyond_measure_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of cells of one node each is a dissection of any network, whose borders may be as large as it is."""
    network = from_name("synthetic:grid?rows=20&columns=20")
    n = network.node_count
    chain = (np.arange(-1, n - 1, dtype=np.int32), np.arange(n + 1, dtype=np.int32), np.arange(n, dtype=np.int32))
    check_dissection(network, complete(network, *chain, "coordinates", 1.0))
    monkeypatch.setattr("wayfront.dissection.cut.numbering.MOST_PER_NODE", 1)
    with pytest.raises(SchemaError, match="its borders are too large"):
        complete(network, *chain, "coordinates", 1.0)


def test_foreign_archives_are_refused(saved: Path, network: RoadNetwork) -> None:
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("more.npy", b"\x93NUMPY\x01\x00")
    with pytest.raises(FormatError, match=r"damaged: .*; delete it, and cut the network again"):
        load_cut(saved, network)
    saved.unlink()
    with pytest.raises(FormatError, match="there is no such file"):
        load_cut(saved, network)
    saved.mkdir()
    with pytest.raises(FormatError, match="this is a folder"):
        load_cut(saved, network)


def test_the_command_writes_a_cut(tmp_path: Path, network: RoadNetwork, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made.cut"
    assert main([GRID, "-o", str(path), "--threads", "1"]) == 0
    loaded = load_cut(path, network)
    assert f"{path}: 144 nodes in {loaded.cell_count} cells, largest front" in capsys.readouterr().out
    assert main([GRID, "-o", str(tmp_path / "no folder" / "x.cut")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "WORTH_KEEPING_MS", 0.0)
    return tmp_path / "cache" / "cuts"


@pytest.fixture
def cuts_made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []

    def noted(network: RoadNetwork, **options: object) -> Dissection:
        made.append(network.name)
        return dissect(network, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "dissect", noted)
    return made


def grid(rows: int = 10, weight: int | None = None) -> RoadNetwork:
    network = from_name(f"synthetic:grid?rows={rows}&columns=9")
    if weight is None:
        return network
    metrics = [Metric("time", "s", 1.0, np.full(network.arc_count, weight, np.int32))]
    return RoadNetwork.from_arrays(name="same", offsets=network.offsets, targets=network.targets, metrics=metrics)


def test_a_network_is_cut_once(cuts_made: list[str]) -> None:
    network = grid()
    assert dissection_of(network, only_kept=True) is None
    cells = dissection_of(network)
    assert cells is not None
    assert dissection_of(network) is cells
    assert dissection_of(network, only_kept=True) is cells
    assert len(cuts_made) == 1


def test_all_metrics_share_a_cut(cuts_made: list[str], folder: Path) -> None:
    cells = dissection_of(grid())
    other = grid(weight=7)
    found = dissection_of(other, only_kept=True)
    assert cells is not None
    assert found is not None
    assert found.node_at.tolist() == cells.node_at.tolist()
    assert [path.name for path in folder.iterdir()] == [f"{shape_key(other)}.cut"]
    assert shape_key(grid(11)) != shape_key(other)
    assert len(cuts_made) == 1


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\0" * 1000])
def test_a_file_that_cannot_be_used_is_replaced(content: bytes, cuts_made: list[str], folder: Path) -> None:
    dissection_of(grid())
    (path,) = folder.iterdir()
    path.write_bytes(content)
    assert dissection_of(grid(), only_kept=True) is None
    dissection_of(grid())
    assert dissection_of(grid(), only_kept=True) is not None
    assert len(cuts_made) == 2


def test_the_cut_of_another_network_under_this_name_is_not_used(cuts_made: list[str], folder: Path) -> None:
    dissection_of(grid())
    save_cut(folder / f"{shape_key(grid())}.cut", dissect(grid(12)))
    assert dissection_of(grid(), only_kept=True) is None


def test_fronts_that_are_too_large_are_refused_though_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    dissection_of(grid())
    monkeypatch.setattr("wayfront.dissection.cut.cutting.MOST_ADDITIONS", 10)
    with pytest.raises(NetworkError, match="take another algorithm"):
        dissection_of(grid())


def test_without_a_cache_cuts_are_kept_in_memory(cuts_made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront.sources.cache.own_folder", lambda **_: None)
    network = grid()
    dissection_of(network)
    assert dissection_of(network, only_kept=True) is not None
    assert dissection_of(grid(), only_kept=True) is None


def test_quick_cuts_are_not_stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "WORTH_KEEPING_MS", 1e9)
    dissection_of(grid())
    assert not folder.exists() or not list(folder.iterdir())


def test_the_oldest_cuts_beyond_the_limit_are_deleted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dissection_of(grid(8))
    (first,) = folder.iterdir()
    monkeypatch.setattr(store, "LIMIT_BYTES", first.stat().st_size * 3 // 2)
    os.utime(first, (1, 1))
    dissection_of(grid(9))
    assert [path.name for path in folder.iterdir()] == [f"{shape_key(grid(9))}.cut"]


def test_two_threads_cut_a_network_once(cuts_made: list[str]) -> None:
    network = grid(30)
    threads = [threading.Thread(target=dissection_of, args=(network,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cuts_made) == 1


def test_who_waits_for_another_cut_can_cancel() -> None:
    cancel = threading.Event()
    cancel.set()
    with store._cutting, pytest.raises(SearchCancelled):
        dissection_of(grid(), cancel=cancel)


def test_a_dissection_from_elsewhere_can_be_kept(cuts_made: list[str]) -> None:
    network = grid()
    dissection_of(network)
    cells = dissect(network)
    assert keep_dissection(network, cells) is cells
    assert dissection_of(network) is cells
