"""Dragging the source over a network that is cut: every tree is right, the newest position wins, no array is made."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

import wayfront
from map_layers import layer
from wayfront.devices import choose_device
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.safe.errors import NetworkError
from wayfront.searching import prepared
from wayfront_gui.app.jobs import Report
from wayfront_gui.app.window import Window
from wayfront_gui.features.live_tree import cutting as cut_control
from wayfront_gui.features.live_tree.cutting import CutControl
from wayfront_gui.features.live_tree.jobs import CutJob, Drag, TreeRequest
from wayfront_gui.session.choice import DISSECTION, DISSECTION_PAIRS
from wayfront_gui.session.closures import NO_ARCS
from wayfront_gui.session.slot import Slot


@pytest.fixture
def cut(window: Window, grid: RoadNetwork, qtbot: QtBot) -> Window:
    """The window with the grid, which is cut and customised."""
    slot = window.session.active
    slot.open(grid)
    slot.choose_device("cpu")
    slot.choose_source(50)
    window.host.control(CutControl).start()
    assert window.status.quiet == "Preparing live trees"
    drag = window.controller.active.quick
    qtbot.waitUntil(lambda: drag.prepared is not None)
    assert not window.status.quiet and "trees follow the mouse" in window.status.message
    return window


def dragged_to(window: Window, node: int, qtbot: QtBot) -> Slot:
    """Drag the source to a node and wait for its tree."""
    window.map.source_moved.emit(node, False)
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.dragged is not None and slot.dragged.source == node)
    return slot


def test_every_tree_of_a_drag_is_right_and_written_where_no_shown_one_is(cut: Window, qtbot: QtBot) -> None:
    slot, scene = cut.session.active, cut.map.map_scene
    network = slot.network
    assert network is not None
    slot.choose_target(7)
    seen = []
    for node in (51, 65, 20, 98):
        dragged_to(cut, node, qtbot)
        tree, expected = slot.dragged, make_result(network, node)
        assert tree is not None and (tree.distances == expected.distances).all()
        assert tree.title == "Nested dissection" and tree.found_ms > 0
        route = slot.route()
        assert route is not None and (route.nodes == expected.route(7)).all() and cut.status.message == route.text
        assert layer(scene, "dragged") is not None and scene.shows_tree and scene.markers.source == node
        assert (scene.node_colours.first_step == layer(scene, "dragged").nodes.first_step).all()
        seen.append(tree.distances)
        assert len(tree.way(network.node_count - 1, NO_ARCS)) == 0, "no street leads there"
        cut.map.grab()
        assert re.fullmatch(r"[\d.]+ (µs|ms|s) from mouse to map", scene.markers.note), "a time says what it is of"
        assert cut.map.map_item.frame is not None
        assert cut.map.map_item.frame.gbuffer is layer(scene, "dragged").gbuffer
    assert len({id(distances) for distances in seen}) <= 3 and all(a is not b for a, b in pairwise(seen))
    cut.map.source_moved.emit(30, True)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 30)
    assert slot.result is not None and slot.result.algorithm == choose_device("cpu").fastest, "one whose front is seen"
    assert slot.dragged is None and layer(scene, "dragged") is None and scene.markers.note == ""
    qtbot.waitUntil(lambda: not cut.controller.worker.busy)


def test_only_the_newest_of_several_positions_is_searched_from(
    cut: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    next_request = Drag.next_request

    def noted(drag: Drag, *wait: Any) -> TreeRequest | None:
        time.sleep(0.02)  # as long as a tree of a large network takes
        asked = next_request(drag, *wait)
        begun.extend([asked.request.source] if asked is not None else [])
        return asked

    monkeypatch.setattr(Drag, "next_request", noted)
    for node in range(10, 40):
        cut.map.source_moved.emit(node, False)
    slot = cut.session.active
    qtbot.waitUntil(lambda: slot.dragged is not None and slot.dragged.source == 39)
    assert begun[-1] == 39 and begun == sorted(set(begun)) and len(begun) < 10
    cut.controller.cancel()
    qtbot.waitUntil(lambda: not cut.controller.worker.busy)


def test_stopping_a_drag_leaves_a_finished_tree(cut: Window, qtbot: QtBot) -> None:
    slot = dragged_to(cut, 65, qtbot)
    cut.controller.active.stop()
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 65)
    assert slot.dragged is None and slot.tree_shown


def test_closed_roads_are_closed_for_the_trees_of_a_drag_too(cut: Window, qtbot: QtBot) -> None:
    slot = cut.session.active
    network = slot.network
    assert network is not None
    arcs = wayfront.arcs_between(network, np.array([50, 51]), np.array([51, 50]))
    slot.closures.close(arcs)
    qtbot.waitUntil(lambda: slot.result is not None)
    dragged_to(cut, 52, qtbot)
    expected = wayfront.search(network, 52, "dijkstra", "cpu", runs=0, closures=arcs)
    assert slot.dragged is not None and (slot.dragged.distances == expected.distances).all()
    slot.closures.reopen(arcs)
    qtbot.waitUntil(lambda: not cut.controller.worker.busy)
    dragged_to(cut, 53, qtbot)
    assert (slot.dragged.distances == make_result(network, 53).distances).all()


def test_the_automatic_choice_is_the_dissection_once_there_is_one(cut: Window) -> None:
    slot = cut.session.active
    assert slot.request(runs=0, trace_budget=None).algorithm == DISSECTION  # type: ignore[union-attr]
    slot.choose_kind(SearchKind.ALL_PAIRS)
    assert slot.pairs_request(runs=0, trace_budget=None).algorithm == DISSECTION_PAIRS  # type: ignore[union-attr]
    slot.choose_kind(SearchKind.ONE_TREE)
    slot.choose_algorithm("near-far")
    assert slot.request(runs=0, trace_budget=None).algorithm == "near-far"  # type: ignore[union-attr]
    assert cut.controller.active.prepared is None, "a person who chooses another search sees that one"


def test_a_network_is_cut_once_nothing_else_is_to_be_done_and_not_after_a_cancel(
    window: Window, grid: RoadNetwork, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts, slot = window.host.control(CutControl), window.session.active
    slot.open(grid)

    def wait(_job: CutJob, report: Report) -> None:
        report.cancel.wait(60)
        raise NetworkError("stopped")

    monkeypatch.setattr(CutJob, "run", wait)
    cuts._consider()
    assert not window.status.quiet, "small networks need none"
    monkeypatch.setattr(cut_control, "LEAST_NODES", 10)
    monkeypatch.setattr(cut_control, "IDLE_MS", 0)
    cuts._consider()
    assert cuts.running
    window.status._quiet_stop.click()
    assert "starts that again" in window.status.message and not slot.is_cut
    cuts._consider()
    assert not window.status.quiet, "it was cancelled"


def test_trees_are_said_to_follow_once_their_kernels_are_loaded_where_no_click_waits(
    window: Window, grid: RoadNetwork, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, searching = threading.Event(), threading.Event()

    def compile_for(device: str, threads: int, *, zeros: bool) -> None:
        assert searching.wait(60), "a search is answered meanwhile"
        assert (device, threads, zeros) == ("cpu", 1, False)
        loaded.set()

    monkeypatch.setattr(prepared, "compile_for", compile_for)
    slot = window.session.active
    slot.open(grid)
    slot.choose_device("cpu")
    window.host.control(CutControl).start()
    window.map.source_moved.emit(60, True)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 60)
    assert window.host.control(CutControl).running and not loaded.is_set() and not slot.is_cut
    searching.set()
    qtbot.waitUntil(lambda: slot.is_cut)
    assert loaded.is_set() and "trees follow the mouse" in window.status.message
    qtbot.waitUntil(lambda: not window.controller.worker.busy)


def test_nothing_is_compiled_or_loaded_once_trees_are_said_to_follow() -> None:
    script = """
import gc, threading
from numba.core.dispatcher import Dispatcher
import wayfront
from wayfront_gui.features.live_tree.jobs import CustomiseJob, CutJob, Drag, FollowJob, TreeRequest
from wayfront_gui.app.jobs import Report
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry

def forms():
    return {(each.py_func.__qualname__, str(form)) for each in gc.get_objects() if isinstance(each, Dispatcher)
            for form in each.signatures}

network = wayfront.open_network("synthetic:grid?columns=90&rows=60")
camera = Camera.fitting(MapGeometry.of(network).bounds, 160, 100)
nothing = lambda *_: None
report = Report(threading.Event(), nothing, nothing, nothing)
CutJob(network, 1, None, "cpu", 1).run(report)
before = forms()
prepared = CustomiseJob(network, None, "cpu", 1, False, 0).run(report)
chosen = dict(algorithm="dissection", device="cpu", threads=1, metric=None, options={})
request = SearchRequest(network=network, source=5, runs=0, trace_budget=None, **chosen)
drag = Drag(network)
drag.ask(TreeRequest(request, camera, prepared, 0.0))
assert FollowJob(drag, 0).run(report) and drag.take() is not None
raise SystemExit(f"{forms() - before}" if forms() - before else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def test_why_a_network_cannot_be_cut_is_told_once(
    window: Window, grid: RoadNetwork, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_job: CutJob, _report: object) -> None:
        raise NetworkError("its separators are too large")

    monkeypatch.setattr(CutJob, "run", refuse)
    window.session.active.open(grid)
    window.host.control(CutControl).start()
    qtbot.waitUntil(lambda: "too large" in window.status.message)
    assert not window.message_bar.isVisible() and not window.session.active.is_cut
