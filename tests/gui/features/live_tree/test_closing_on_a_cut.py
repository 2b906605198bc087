"""Closing roads of a network that is cut: the tree is folded anew above them, also between two drags."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from there import there
from wayfront.network.arcs import without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront_gui.app.jobs import Report
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.costs import Detours
from wayfront_gui.features.closures.tool import RoadTool
from wayfront_gui.features.live_tree.cutting import CutControl
from wayfront_gui.features.live_tree.jobs import PreparedTreeJob
from wayfront_gui.session.choice import DISSECTION
from wayfront_gui.session.closures import Arcs, as_arcs, road_arcs
from wayfront_gui.session.slot import Slot


@pytest.fixture
def slot(window: Window, grid: RoadNetwork, qtbot: QtBot) -> Slot:
    """The slot of a window with the grid, which is cut and customised, and its tree from node 50."""
    slot = window.session.active
    slot.open(grid)
    slot.choose_device("cpu")
    slot.choose_source(50)
    window.host.control(CutControl).start()
    qtbot.waitUntil(lambda: window.controller.active.prepared is not None)
    window.controller.active.show_quickly()
    idle(window, qtbot)
    return slot


def idle(window: Window, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.controller.worker.busy)


def road(network: RoadNetwork, one: int, other: int) -> Arcs:
    arcs = np.arange(network.offsets[one], network.offsets[one + 1])
    return road_arcs(network, as_arcs(arcs[network.targets[arcs] == other]))


def check(slot: Slot, source: int) -> Result:
    network, result = slot.network, slot.result
    assert network is not None and result is not None
    expected = make_result(without_arcs(network, slot.closures.arcs), source)
    assert result.algorithm == DISSECTION and result.source == source
    assert result.closures.tolist() == slot.closures.arcs.tolist()
    assert (result.distances == expected.distances).all() and (result.parents == expected.parents).all()
    return result


def test_every_change_gives_the_tree_of_a_search_without_the_closed_roads(
    window: Window, slot: Slot, qtbot: QtBot
) -> None:
    network = there(slot.network)
    open_tree = check(slot, 50)
    closures = slot.closures
    changes: list[Callable[[], None]] = [
        partial(closures.close, road(network, 50, 51)),
        partial(closures.close, road(network, 0, 1)),
        partial(closures.close, road(network, 0, 12)),  # node 0 is cut off
        partial(closures.reopen, road(network, 0, 12)),
        partial(closures.reopen, road(network, 50, 51)),
        partial(closures.close, road(network, 50, 51)),
        partial(closures.replace, as_arcs([])),
    ]
    for change in changes:
        change()
        idle(window, qtbot)
        check(slot, 50)
    assert (check(slot, 50).distances == open_tree.distances).all()


def test_a_stroke_is_followed_like_a_drag_and_ends_with_the_whole_tree(
    window: Window, slot: Slot, qtbot: QtBot
) -> None:
    network = there(slot.network)
    for other in (51, 62):
        slot.closures.close(road(network, 50, other), in_stroke=True)
        idle(window, qtbot)
        expected = make_result(without_arcs(network, slot.closures.arcs), 50)
        assert slot.dragged is not None and (slot.dragged.distances == expected.distances).all()
    window.map.tool(RoadTool).ended.emit()
    idle(window, qtbot)
    check(slot, 50)
    assert slot.dragged is None


def test_a_drag_after_a_reopening_whose_tree_was_never_found_has_the_roads_open(
    window: Window, slot: Slot, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = there(slot.network)
    window.map.source_moved.emit(51, False)
    idle(window, qtbot)
    slot.closures.close(road(network, 50, 51))
    idle(window, qtbot)
    ran: list[PreparedTreeJob] = []
    run = PreparedTreeJob.run

    def noted(job: PreparedTreeJob, report: Report) -> Result:
        ran.append(job)
        return run(job, report)

    monkeypatch.setattr(PreparedTreeJob, "run", noted)
    slot.closures.replace(as_arcs([]))
    window.map.source_moved.emit(62, False)  # at once: it takes the place of the tree that reopening asked for
    idle(window, qtbot)
    assert (there(slot.dragged).distances == make_result(network, 62).distances).all() and len(ran) <= 1


def test_the_detour_view_compares_with_the_tree_of_all_roads(window: Window, slot: Slot, qtbot: QtBot) -> None:
    network = there(slot.network)
    slot.closures.close(road(network, 50, 51))
    idle(window, qtbot)
    window.map.source_moved.emit(20, False)
    slot.state(Detours).want(True)
    window.controller.active.show_quickly()
    idle(window, qtbot)
    found, result = slot.state(Detours).found, check(slot, 20)
    assert found is not None and slot.closures.arcs.tolist() == result.closures.tolist()
    assert (found.extra == result.distances.astype(int) - make_result(network, 20).distances).all()
