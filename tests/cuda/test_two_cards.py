"""Two cards in one process: the same searches on each, one after the other, in turns and from two threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wayfront
from wayfront.devices import devices, open_device
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.synthetic import from_name

CARDS = [info.id for info in devices() if info.available and info.id.startswith("cuda:")]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(len(CARDS) < 2, reason="needs two cards")]

SEARCHES = ["near-far-resident", "near-far", "delta-stepping", "cuda-dijkstra", "bellman-ford-v3", "adaptive"]


@pytest.fixture
def network() -> RoadNetwork:
    return from_name("synthetic:grid?columns=120&rows=80&seed=5")


def search_on(card: str, network: RoadNetwork, name: str, source: int = 7) -> Result:
    result = wayfront.search(network, source, name, card, runs=2, verify=True)
    assert (result.device, result.verified) == (card, True)
    return result


def check_equal(results: list[Result]) -> None:
    for other in results[1:]:
        assert (other.distances == results[0].distances).all()
        assert (other.parents == results[0].parents).all()


@pytest.mark.parametrize("name", SEARCHES)
def test_cards_find_the_same_in_turns(name: str, network: RoadNetwork) -> None:
    check_equal([search_on(card, network, name) for card in (*CARDS[:2], *CARDS[:2])])


@pytest.mark.parametrize("name", SEARCHES)
def test_cards_search_at_once_from_two_threads(name: str, network: RoadNetwork) -> None:
    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(search_on, card, network, name) for card in CARDS[:2] * 3]
        check_equal([search.result() for search in running])


def test_a_network_is_copied_to_each_card() -> None:
    first, second = (open_device(card) for card in CARDS[:2])
    assert first.memory != second.memory
    numbers = np.arange(5, dtype=np.int32)
    copies = [(card, card.put(numbers + k)) for k, card in enumerate((first, second, first))]
    assert [card.get(copy).tolist() for card, copy in copies] == [[k, k + 1, k + 2, k + 3, k + 4] for k in range(3)]
