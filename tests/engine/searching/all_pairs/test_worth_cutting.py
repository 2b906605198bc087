"""Without an algorithm named, a network is cut first where that makes the search from so many sources faster."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import wayfront
from pairs_checks import check_pairs
from wayfront.devices import Ability, describe_device
from wayfront.dissection.cut import cutting as limits
from wayfront.dissection.store import dissection_of
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import SearchCancelled
from wayfront.searching.all_pairs import call, checkpoint
from wayfront.searching.all_pairs import call as worth_cutting
from wayfront.searching.all_pairs import spreading as cluster
from wayfront.synthetic import from_name


@pytest.fixture
def network() -> RoadNetwork:
    return from_name("synthetic:grid?columns=20&rows=15&seed=9")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every search without a cut seem slow."""
    monkeypatch.setattr(worth_cutting, "A_CORE", 1.0)


def test_few_sources_do_not_repay_a_cut(network: RoadNetwork) -> None:
    assert wayfront.all_pairs(network, device="cpu", runs=0).algorithm == "dijkstra-in-turn"
    assert dissection_of(network, only_kept=True) is None


@pytest.mark.usefixtures("slow")
def test_many_sources_are_searched_by_a_cut_made_first(network: RoadNetwork) -> None:
    told: list[str] = []
    result = wayfront.all_pairs(
        network, device="cpu", keep="matrix", runs=0, progress=lambda progress: told.append(progress.stage)
    )
    assert result.algorithm == "dissection-all-pairs"
    assert told[0] == "preparing"
    assert result.timing.prepare_ms["cut"] > 0
    check_pairs(result)


@pytest.mark.usefixtures("slow")
def test_a_network_without_small_separators_is_searched_without_a_cut(
    network: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_ADDITIONS", 1.0)
    result = wayfront.all_pairs(network, device="cpu", keep="matrix", runs=0)
    assert result.algorithm == "dijkstra-in-turn"
    check_pairs(result)


@pytest.mark.usefixtures("slow")
def test_what_a_person_names_is_taken(network: RoadNetwork) -> None:
    assert wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", runs=0).algorithm == "dijkstra-in-turn"
    assert dissection_of(network, only_kept=True) is None


@pytest.mark.usefixtures("slow")
def test_a_cut_that_is_cancelled_leaves_no_matrix(network: RoadNetwork, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        wayfront.all_pairs(network, device="cpu", keep=tmp_path / "distances.npy", cancel=cancel)
    assert list(tmp_path.iterdir()) == []


def test_sources_that_were_finished_before_repay_no_cut(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(call, "cut_if_worth", lambda _network, sources, *_rest: asked.append(sources))
    monkeypatch.setattr(checkpoint.Checkpoint, "close", lambda _self: None)
    noted = tmp_path / "some.wfpairs"
    monkeypatch.setattr(checkpoint, "SAVE_EVERY_S", -1.0)
    wayfront.all_pairs(network, device="cpu", sources=range(100), checkpoint=noted, runs=0)
    found = wayfront.all_pairs(network, device="cpu", checkpoint=noted, runs=0).found_before
    assert found > 0
    assert asked == [100, network.node_count - found]


@pytest.mark.parametrize(
    ("named", "workers"), [("auto", ["cuda:0", "cuda:1"]), ("cuda", ["cuda:0", "cuda:1"]), ("cuda:1", ["cuda:1"])]
)
def test_a_worker_for_each_card_unless_one_is_named(
    monkeypatch: pytest.MonkeyPatch, named: str, workers: list[str]
) -> None:
    cards = [
        SimpleNamespace(id=f"cuda:{k}", available=True, exclusive=False, abilities=Ability.GRID_BARRIER) for k in (0, 1)
    ]
    monkeypatch.setattr(cluster, "devices", lambda: [describe_device("cpu"), *cards])
    monkeypatch.setattr(cluster, "choose_device", lambda device: cards[1] if device == "cuda:1" else cards[0])
    assert cluster.local_devices(named, 1) == workers
