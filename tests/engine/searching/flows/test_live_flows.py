"""Flows that follow closed roads are those of ``wayfront.flows``, whatever is closed after what."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import wayfront
from dissected import street_grid
from wayfront.dissection.host import flows as host_flows
from wayfront.safe.errors import MemoryShortError, NetworkError, SearchCancelled
from wayfront.searching.warming import flow_tasks


@pytest.fixture(scope="module")
def network() -> wayfront.RoadNetwork:
    """A grid with more pairs than trees alone are made for, and large enough to be remembered in parts."""
    return street_grid(46, 46, 9, 5)


@pytest.fixture(scope="module")
def live(network: wayfront.RoadNetwork) -> wayfront.LiveFlows:
    return wayfront.LiveFlows(network)


def same(found: wayfront.Flows, wanted: wayfront.Flows) -> bool:
    arrays = all(
        np.array_equal(getattr(found, name), getattr(wanted, name))
        for name in ("arc_flow", "through", "starts", "ends", "closures", "sources")
    )
    return arrays and (found.trips, found.unreached) == (wanted.trips, wanted.unreached)


def test_roads_are_closed_on_top_of_others_and_opened_again(
    network: wayfront.RoadNetwork, live: wayfront.LiveFlows
) -> None:
    assert live.remembers
    assert same(live.before, wayfront.flows(network, device="cpu"))
    busiest = np.argsort(-live.before.arc_flow)
    corner = np.flatnonzero((network.tails() == 0) | (network.targets == 0))
    unused = np.flatnonzero(live.before.arc_flow == 0)[:1]
    none = np.empty(0, np.int64)
    for arcs in (busiest[:1], busiest[:9:4], unused, corner, busiest[:1], none):
        found = live.closing(arcs)
        wanted = wayfront.flows(network, closures=arcs, device="cpu")
        assert same(found, wanted)
        found.verify()
    assert live.closing(corner).unreached > live.before.unreached


def test_roads_that_are_closed_already_stay_so(network: wayfront.RoadNetwork, live: wayfront.LiveFlows) -> None:
    busiest = np.argsort(-live.before.arc_flow)
    again = wayfront.LiveFlows(network, closures=busiest[:2])
    assert again.before.closures.tolist() == sorted(busiest[:2].tolist())
    assert same(again.closing(busiest[5:6]), live.closing([*busiest[:2], busiest[5]]))


def test_what_is_not_remembered_is_found_as_a_whole(
    monkeypatch: pytest.MonkeyPatch, network: wayfront.RoadNetwork, live: wayfront.LiveFlows
) -> None:
    def refuse(*_: object, **_named: object) -> None:
        raise MemoryShortError(2, 1, "flows")

    with monkeypatch.context() as patched:
        patched.setattr(host_flows.FlowsUnderClosures, "after", refuse)
        assert same(live.closing([3]), wayfront.flows(network, closures=[3], device="cpu"))
    monkeypatch.setattr(host_flows.FlowsUnderClosures, "of", refuse)
    whole = wayfront.LiveFlows(network)
    assert not whole.remembers
    assert same(whole.closing([3]), live.closing([3]))
    small = wayfront.LiveFlows(wayfront.open_network("synthetic:ring?nodes=6"))
    assert not small.remembers
    assert small.closing([0]).arc_flow[0] == 0


def test_work_is_cancelled_and_wrong_arcs_are_refused(live: wayfront.LiveFlows) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        live.closing([0], cancel=cancel)
    with pytest.raises(NetworkError):
        live.closing([-1])


def test_what_is_warmed_up_is_what_closed_roads_take(monkeypatch: pytest.MonkeyPatch) -> None:
    found, after = [], host_flows.FlowsUnderClosures.after

    def noting(*given: Any) -> Any:
        found.append(after(*given))
        return found[-1]

    monkeypatch.setattr(host_flows.FlowsUnderClosures, "after", noting)
    for task in flow_tasks():
        task.run(None)
    assert [flows is not None for flows in found] == [True]
