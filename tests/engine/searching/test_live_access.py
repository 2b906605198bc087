"""Access that follows points is, after any moves, what access finds of where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from dissected import street_grid
from search_checks import make_network, networks
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.results.access import Decay, DecayKind, Measures
from wayfront.safe.errors import MemoryShortError, NetworkError, OptionError
from wayfront.searching.live_access import LiveAccess

MEASURES = {
    "within": Measures(within=(30.0,)),
    "decay": Measures(decay=Decay(DecayKind.EXPONENTIAL, 40.0)),
    "near decay": Measures(decay=Decay(DecayKind.POWER, 5.0, 2.0), limit=50.0),
    "nearest": Measures(nearest=(1,)),
    "second": Measures(nearest=(2,), limit=60.0),
    "mean": Measures(mean=True),
    "near mean": Measures(mean=True, limit=40.0),
}


def expected(network: RoadNetwork, nodes: Any, measures: Measures, **asked: Any) -> list[float]:
    found = wayfront.access(
        *(network, nodes),
        within=measures.within,
        decay=measures.decay,
        nearest=measures.nearest,
        mean=measures.mean,
        limit=measures.limit,
        device="cpu",
        **asked,
    )
    values: list[float] = found[measures.names[0]].tolist()
    return values


@settings(deadline=None, max_examples=40)
@given(network=networks(), data=st.data(), name=st.sampled_from(list(MEASURES)), reverse=st.booleans())
def test_any_moves(network: RoadNetwork, data: st.DataObject, name: str, reverse: bool) -> None:
    node = st.integers(0, network.node_count - 1)
    nodes = data.draw(st.lists(node, min_size=1, max_size=5))
    weights = data.draw(st.lists(st.sampled_from([0, 1, 2.5]), min_size=len(nodes), max_size=len(nodes)))
    closed = data.draw(st.lists(st.integers(0, network.arc_count - 1), max_size=2)) if network.arc_count else []
    measures = MEASURES[name]
    asked: dict[str, Any] = {"weights": weights, "reverse": reverse, "closures": closed}
    live = LiveAccess(network, nodes, measures, **asked)
    assert live.values().tolist() == expected(network, nodes, measures, **asked)
    for index, to in data.draw(st.lists(st.tuples(st.integers(0, len(nodes) - 1), node), max_size=5)):
        live.move(index, to)
        nodes[index] = to
        assert live.values().tolist() == expected(network, nodes, measures, **asked)


def test_a_point_moves_along_roads() -> None:
    network = street_grid(8, 7, 100, seed=1)
    live = LiveAccess(network, [3, 30], MEASURES["within"])
    none = np.full((1, 2), NONE, np.int64)
    at = Ends(np.array([[5, 6]], np.int32), np.array([[12, 20]]), none, none)
    live.move(1, at)
    nodes, costs = np.array([[3, NONE], [5, 6]], np.int32), np.array([[0, 0], [12, 20]])
    both = Ends(nodes, costs, none.repeat(2, axis=0), none.repeat(2, axis=0))
    assert live.values().tolist() == expected(network, both, MEASURES["within"])


def test_distances_beyond_32_bits() -> None:
    large = 2**31 - 1
    network = make_network(3, [(0, 1, large), (1, 2, large), (2, 0, 5)])
    live = LiveAccess(network, [2], Measures(nearest=(1,)))
    live.move(0, 1)
    assert live.values().tolist() == [large, 0, large + 5]


def test_mistakes_are_explained() -> None:
    network = street_grid(8, 7, 100, seed=1)
    with pytest.raises(OptionError, match="one measure"):
        LiveAccess(network, [1], Measures(within=(1.0, 2.0)))
    with pytest.raises(OptionError, match="no quantile"):
        LiveAccess(network, [1], Measures(quantiles=(0.5,)))
    live = LiveAccess(network, [1], Measures(nearest=(1,)))
    assert live.network is network
    for index, to in ((1, 3), (-1, 3), (0, 10**6), (0, Ends.at_nodes(network, [1, 2]))):
        with pytest.raises(NetworkError):
            live.move(index, to)


def test_memory_is_forecast_before_the_network_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    network = street_grid(19, 15, 100, seed=4)
    monkeypatch.setattr("wayfront.searching.live_access.customised_on", lambda *_: pytest.fail("it has been cut"))
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryShortError):
        LiveAccess(network, [0], MEASURES["within"])
