"""Cuts are kept with their network and in the cache, found by shape, made again where a file cannot be used."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from wayfront import RoadNetwork
from wayfront.dissection import store
from wayfront.dissection.cut_file import save_cut
from wayfront.dissection.cutting import dissect
from wayfront.dissection.shape import Dissection, shape_key
from wayfront.dissection.store import dissection_of, keep_dissection
from wayfront.errors import NetworkError, SearchCancelled
from wayfront.network.road_network import Metric
from wayfront.synthetic import from_name


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


def test_a_method_that_is_asked_for_is_used(cuts_made: list[str]) -> None:
    pytest.importorskip("kahip")
    network = grid()
    for method in ("coordinates", "kahip", "auto"):
        cells = dissection_of(network, method=method)
        assert cells is not None
        assert method in ("auto", cells.method)
    assert len(cuts_made) == 2


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
    monkeypatch.setattr("wayfront.dissection.limits.MOST_ADDITIONS", 10)
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
