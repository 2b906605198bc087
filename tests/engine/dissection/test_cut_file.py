"""A cut survives a file, and no file makes a wrong cut: what a stranger changed is refused, or harmless."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_cuts import check_dissection, network_of_arcs
from wayfront import RoadNetwork
from wayfront.dissection.__main__ import main
from wayfront.dissection.borders import complete
from wayfront.dissection.cut_file import load_cut, save_cut
from wayfront.dissection.cutting import dissect
from wayfront.dissection.shape import Dissection
from wayfront.errors import FormatError, SchemaError
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
        complete(network, *spoiled, "kahip", 1.0)


def test_borders_beyond_measure_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of cells of one node each is a dissection of any network, whose borders may be as large as it is."""
    network = from_name("synthetic:grid?rows=20&columns=20")
    n = network.node_count
    chain = (np.arange(-1, n - 1, dtype=np.int32), np.arange(n + 1, dtype=np.int32), np.arange(n, dtype=np.int32))
    check_dissection(network, complete(network, *chain, "kahip", 1.0))
    monkeypatch.setattr("wayfront.dissection.borders.MOST_PER_NODE", 1)
    with pytest.raises(SchemaError, match="its borders are too large"):
        complete(network, *chain, "kahip", 1.0)


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
    assert main([GRID, "-o", str(path), "--threads", "1", "--method", "coordinates"]) == 0
    loaded = load_cut(path, network)
    assert f"{path}: 144 nodes in {loaded.cell_count} cells, largest front" in capsys.readouterr().out
    assert main([GRID, "-o", str(path), "--method", "magic"]) == 2
    assert main([GRID, "-o", str(tmp_path / "no folder" / "x.cut")]) == 2
    words = capsys.readouterr().err
    assert "no method 'magic' of cutting" in words
    assert "cannot be written" in words
