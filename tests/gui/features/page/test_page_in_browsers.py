"""Pages in real browsers: their pictures beside the program's own, every control by mouse and keys, and no harm.

Each test runs in every browser that is installed; ``tools/setup.sh test`` installs Chromium on Debian.
"""

from __future__ import annotations

import base64
import re
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage
from tests.gui.conftest import make_grid, make_result

import wayfront
from browsers import Browser, Tab, installed, started
from named_town import named_town
from repository import TEST_DATA
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.small_graphs import cut_out
from wayfront.opening import open_network
from wayfront.results.result import Result
from wayfront.searching.result_file import load_trace
from wayfront.widgets import FRONT
from wayfront_gui.features.explanation.texts import explain
from wayfront_gui.features.flows.page import flows_content
from wayfront_gui.features.flows.state import Asked, FlowsFound, Roads
from wayfront_gui.features.page import document
from wayfront_gui.features.page.content import Content, Opening
from wayfront_gui.features.page.several import race_of
from wayfront_gui.features.race.state import Difference
from wayfront_gui.map.offscreen import camera_for, draw_frame, roads
from wayfront_gui.map.scene import Layers, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.resources import BUNDLED, RECORDED, asset
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.theme import THEMES
from wayfront_gui.ui.translation import use_language

pytestmark = pytest.mark.usefixtures("qapp")
WIDTH, HEIGHT = 1000, 700
NEAR, APART, MOST_APART = 0.25, 24, 0.002
"""Pictures differ by 0.25 of 255 on average at most, and by more than 24 in two pixels of a thousand: a page counts
places in whole units, so a line may be beside its pixel."""
KEPT = TEST_DATA / "kept-page.html"
"""A page of the first version of the format, without what would draw it …"""
KEPT_LESSON = TEST_DATA / "kept-lesson-page.html"
"""… and one of the lesson ``PLAYED``, with a race and what streets carry."""


@pytest.fixture(scope="session", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if installed(request.param) is None:
        pytest.skip(f"needs {request.param}, which is not installed here")
    try:
        document.bundle()
    except ImportError as missing:
        pytest.skip(f"needs what pages bring: {missing}")
    with started(request.param, tmp_path_factory.mktemp(request.param)) as browser:
        yield browser


Show = Callable[..., Any]


def page_of(result: Result, title: str = "", *, as_roads: bool = True) -> str:
    """Return the page of a search; roads are shown however few they are, unless a graph is asked for."""
    scene = Scene.of_result(result)
    scene.wanted = Layers(graph=not as_roads)
    return document.page_of(Content.of(scene, result, Opening(title)))


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Show:
    """Open a page, or a search's, in a window, and fail where it says or asks for anything."""

    @contextmanager
    def shown(page: str | Result, address: str = "", size: tuple[int, int] = (WIDTH, HEIGHT)) -> Iterator[Tab]:
        path = tmp_path / "page.html"
        if isinstance(page, Result):
            page = page_of(page)
        path.write_text(page, "utf-8")
        with browser.tab(*size) as tab:
            tab.open(f"{path.as_uri()}{address}")
            tab.wait_for("document.documentElement.dataset.ready")
            yield tab
            assert tab.console == []
            asked = {each.partition("?")[0].partition("#")[0] for each in tab.requests}
            # The text of a worker is in the page.
            assert {each for each in asked if not each.startswith(("blob:null/", "data:"))} <= {path.as_uri()}

    return shown


@pytest.fixture(scope="module")
def result() -> Result:
    """A search of the grid, from node 130, with its trace and two clean runs."""
    grid = make_grid()
    return make_result(grid, grid.node(130), runs_ms=(2.0, 1.0))


def state(tab: Tab, **message: Any) -> dict[str, Any]:
    """Send the page a message, and return what it answers when a frame has been drawn."""
    tab.run("await new Promise(requestAnimationFrame)")
    told: dict[str, Any] = tab.run(
        "return await new Promise((resolve) => {"
        " const take = ({ data }) => {"
        " if (data.wayfront === 'now') { removeEventListener('message', take); resolve(data); } };"
        " addEventListener('message', take); postMessage(given[0], '*'); })",
        message or {"wayfront": "state"},
    )
    return told


def place_of(tab: Tab, node: int) -> tuple[float, float]:
    """Return where a node is in the window, by its id."""
    x, y = tab.run(
        "return await new Promise((resolve) => {"
        " addEventListener('message', ({ data }) => { if (data?.place) resolve(data.place); });"
        " postMessage({ wayfront: 'place', value: given[0] }, '*'); })",
        node,
    )
    return x, y


def text_of(tab: Tab, selector: str) -> str:
    text: str = tab.run("return document.querySelector(given[0]).innerText", selector)
    return text


def named(name: str) -> str:
    return f'[aria-label="{name}"]'


# -------------------------------------------------------------------------------------------------------- what is drawn


@pytest.fixture(scope="module")
def city() -> Result:
    """The bundled city's recorded search."""
    network = open_network(str(asset(BUNDLED)))
    return load_trace(asset(RECORDED), network)


@pytest.fixture(scope="module")
def city_page(city: Result) -> str:
    return page_of(city)


def pixels_of(image: QImage) -> np.ndarray:
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(rgb.constBits(), np.uint8).reshape(rgb.height(), rgb.bytesPerLine())
    return rows[:, : 3 * rgb.width()].reshape(rgb.height(), rgb.width(), 3).astype(np.int16)


@pytest.mark.parametrize(
    ("by", "theme", "moment"),
    [
        ("processor", "dark", "50%"),
        ("processor", "light", "tree"),
        ("webgl", "dark", "50%"),
        ("webgl", "paper", "tree"),
    ],
)
def test_the_map_looks_as_the_program_draws_it(
    browser: Browser, show: Show, city: Result, city_page: str, by: str, theme: str, moment: str
) -> None:
    with show(city_page, f"?t={moment.replace('%', '%25')}&theme={theme}&draw={by}") as tab:
        tab.run("for (const e of document.querySelectorAll('.map > :not(.roads)')) e.style.visibility = 'hidden';")
        now = state(tab)
        got = tab.picture(".map").astype(np.int16)
    scene = Scene.of_result(city, Style(theme))
    scene.mode, scene.step = ("tree", -1.0) if moment == "tree" else ("search", now["step"] - 1)
    height, width, _ = got.shape
    camera = camera_for(scene, width, height)
    expected = pixels_of(roads(scene, camera, draw_frame(scene, camera)))
    apart = np.abs(got - expected)
    assert expected.std() > 10
    assert apart.mean() < NEAR
    assert (apart.max(axis=2) > APART).mean() < MOST_APART


def test_a_view_that_is_moved_looks_as_if_it_were_drawn_there(show: Show, city_page: str) -> None:
    """By less than a screen only what comes into view is rastered."""
    with show(city_page, "?t=30%25") as tab:
        tab.run("for (const e of document.querySelectorAll('.map > :not(.roads)')) e.style.visibility = 'hidden';")
        tab.turn(500, 300, -240)
        tab.drag(400, 300, 97, -41)
        tab.run("await new Promise((resolve) => setTimeout(resolve, 200))")
        moved = tab.picture(".map").astype(np.int16)
        for theme in ("projector", "dark"):  # whose lines are thicker
            state(tab, wayfront="theme", value=theme)
            tab.run("await new Promise((resolve) => setTimeout(resolve, 100))")
        assert moved.std() > 10
        assert np.abs(moved - tab.picture(".map")).mean() < 0.2


def test_a_map_whose_card_is_taken_away_is_drawn_by_the_processor(show: Show, result: Result) -> None:
    """As the first of more than 16 maps in one tab is, or on phones of 8."""
    with show(result, "?t=40%25&draw=webgl") as tab:
        tab.run("for (const e of document.querySelectorAll('.map > :not(.roads)')) e.style.visibility = 'hidden';")
        before = tab.picture(".map").astype(np.int16)
        lost = (
            "const gl = document.querySelector('.roads').getContext('webgl2');"
            "if (gl) await new Promise((resolve) => {"
            " document.querySelector('.roads').addEventListener('webglcontextlost', resolve);"
            " gl.getExtension('WEBGL_lose_context').loseContext(); });"
            "return Boolean(gl)"
        )
        assert tab.run(lost) or "Firefox" in tab.run("return navigator.userAgent"), "which has none without a screen"
        state(tab, wayfront="at", value="90%")
        state(tab, wayfront="theme", value="light")
        tab.run("await new Promise((resolve) => setTimeout(resolve, 200))")
        assert np.abs(tab.picture(".map") - before).mean() > 10, "it still draws"
        state(tab, wayfront="theme", value="dark")
        state(tab, wayfront="at", value="40%")
        tab.run("await new Promise((resolve) => setTimeout(resolve, 200))")
        assert np.abs(tab.picture(".map") - before).mean() < NEAR


def test_names_and_waters_are_where_they_belong(show: Show) -> None:
    """Long Lake with its island lies in the west, Gridton in the middle; the main road has its name along it."""
    town = named_town()
    result = wayfront.search(town, 0, "dijkstra", "cpu", trace=True)
    with show(result, "?t=tree&theme=light") as tab:
        shares = tab.run(
            "return Object.fromEntries(['land', 'names'].map((name) => {"
            " const canvas = document.querySelector('.' + name), { width, height } = canvas;"
            " const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);"
            " let covered = 0;"
            " for (let i = 3; i < data.length; i += 4) covered += data[i] > 0;"
            " return [name, covered / (width * height)];"
            "}))"
        )
        assert 0.01 < shares["land"] < 0.2
        assert 0.002 < shares["names"] < 0.1
        strength = tab.run("return document.querySelector('.land').style.opacity")
        assert float(strength) == THEMES["light"].map.land_strength
        before = tab.picture(".map").astype(np.int16)
        tab.run("document.querySelector('.names').style.visibility = 'hidden'")
        assert np.abs(before - tab.picture(".map")).max() > 100


# ------------------------------------------------------------------------------------------------------------- controls


def test_the_replay_goes_by_mouse(show: Show, result: Result) -> None:
    with show(result, "?t=1") as tab:
        assert text_of(tab, ".figures").split("\n")[1] == "1 of 11"
        tab.click_on(named("One step forward"))
        tab.click_on(named("One step forward"))
        assert state(tab)["step"] == 3
        assert text_of(tab, ".figures").split("\n")[-1] == "10 nodes"
        tab.click_on(named("One step back"))
        assert state(tab)["step"] == 2
        tab.click_on(named("Last step"))
        assert state(tab)["step"] == 11
        tab.click_on(named("First step"))
        assert state(tab)["step"] == 1
        left, top, width, height = tab.place(".scrub input")
        tab.click(left + width / 2, top + height / 2)
        assert 5 <= state(tab)["step"] <= 7
        tab.click_on(".toggle")
        assert state(tab)["tree"]
        assert "reached 108 of 109 nodes" in text_of(tab, ".figures")
        assert "1.50 ms" in text_of(tab, ".figures")
        tab.click_on(".toggle")
        assert not state(tab)["tree"]
        tab.click_on(named("Play"))
        assert state(tab)["playing"]
        tab.click_on(named("Pause"))
        assert not state(tab)["playing"]


def test_a_search_from_both_ends_tells_how_long_its_route_is(show: Show, result: Result) -> None:
    """A node near the target has its distance to that, not from the source."""
    grid = result.network
    found = wayfront.search(grid, grid.node(130), "bidirectional", "cpu", trace=True, target=grid.node(207))
    with show(found, "?t=tree") as tab:
        now, expected = state(tab), int(result.distances[grid.node(207)])
        assert (now["target"], now["distance"]) == (207, expected)
        assert f"Route to node 207: {expected} m" in text_of(tab, ".route")


def test_the_replay_goes_by_keys(show: Show, result: Result) -> None:
    with show(result, "?t=1") as tab:
        tab.press("Right")
        assert state(tab)["step"] == 2
        tab.press("Control", "Right")
        assert state(tab)["step"] == 11
        tab.press("Left")
        assert state(tab)["step"] == 10
        tab.press("Home")
        tab.press(".")
        tab.press(".")
        tab.press("w")
        now = state(tab)
        assert (now["step"], now["speed"], now["walk"]) == (1, 4, "time")
        tab.press("o")
        tab.press("t")
        now = state(tab)
        assert (now["tree"], now["loop"]) == (True, True)
        tab.press(" ")
        now = state(tab)
        assert (now["tree"], now["playing"]) == (False, True)
        tab.press(" ")
        assert not state(tab)["playing"]


def test_playing_ends_with_the_tree(show: Show, result: Result) -> None:
    with show(result, "?t=9&speed=16") as tab:
        tab.press(" ")
        tab.wait_for("document.querySelector('.toggle').getAttribute('aria-pressed') === 'true'")
        assert not state(tab)["playing"]


def test_roads_tell_their_nodes_and_give_routes(show: Show, result: Result) -> None:
    grid = result.network
    target = grid.node(105)
    with show(result, "?t=tree") as tab:
        x, y = place_of(tab, 105)
        tab.move(x, y)
        assert not tab.run("return document.querySelector('.tip').hidden")
        tip = text_of(tab, ".tip")
        assert "Node 105" in tip
        assert f"{result.distances[target]} m" in tip
        tab.click(x, y)
        now = state(tab)
        assert now["target"] == 105
        assert now["route"] == grid.node_ids[result.route(target).nodes].tolist()
        assert f"Route to node 105: {result.distances[target]} m" in text_of(tab, ".route")
        tab.press("Escape")
        assert state(tab)["target"] is None
        assert tab.run("return document.querySelector('.route').childElementCount") == 0
        tab.click(x, y)
        tab.click_on(named("Drop the target"))
        assert state(tab)["target"] is None


def test_the_map_moves_by_mouse_and_keys(show: Show, result: Result) -> None:
    with show(result, "?t=tree") as tab:
        whole = state(tab)["view"]
        tab.click_on(named("Zoom in"))
        nearer = state(tab)["view"]
        assert nearer["scale"] == pytest.approx(1.5 * whole["scale"])
        tab.press("-")
        assert state(tab)["view"]["scale"] == pytest.approx(whole["scale"])
        tab.turn(300, 200, -240)
        turned = state(tab)["view"]
        assert turned["scale"] == pytest.approx(2 * whole["scale"])
        assert turned["left"] + 300 / turned["scale"] == pytest.approx(whole["left"] + 300 / whole["scale"])
        tab.drag(400, 300, 60, -30)
        dragged = state(tab)["view"]
        assert (dragged["left"] - turned["left"]) * turned["scale"] == pytest.approx(-60)
        assert (dragged["top"] - turned["top"]) * turned["scale"] == pytest.approx(-30)
        assert state(tab)["target"] is None, "a drag chooses nothing"
        tab.press("Shift", "Left")
        assert state(tab)["view"]["left"] < dragged["left"]
        tab.press("f")
        assert state(tab)["view"] == pytest.approx(whole)


def test_a_small_graph_is_drawn_as_one(show: Show) -> None:
    network = wayfront.open_network("example:paper-e")
    result = wayfront.search(network, 0, "near-far", "cpu", trace=True)
    with show(page_of(result, as_roads=False), "?t=4") as tab:
        assert text_of(tab, ".held").split("\n") == ["Near pile", "E 11", "Far pile"]
        x, y = place_of(tab, int(network.node_ids[4]))
        tab.move(x, y)
        assert text_of(tab, ".tip").startswith("Node E\n\n11")
        tab.click(x, y)
        assert state(tab)["route"] == network.node_ids[[0, 2, 3, 1, 4]].tolist()
        red, green, blue = tab.picture(".map")[int(y) - 14, int(x)]
        assert max(red, green, blue) - min(red, green, blue) > 10, "its disc has the colour of its distance"
        tab.press("Right")
        assert text_of(tab, ".figures").split("\n")[1] == "5 of 5"


def test_options_are_chosen_with_the_keyboard_alone(show: Show, result: Result) -> None:
    with show(result, "?t=tree") as tab:
        tab.press("?")
        assert not tab.run("return document.querySelector('.options').hidden")
        names = tab.run(
            "return [...document.querySelectorAll('.options :is(select, input, button)')]"
            ".map((e) => e.labels?.[0]?.innerText ?? e.innerText)"
        )
        assert [name.partition("\n")[0] for name in names] == [
            "Play",
            "Speed",
            "Theme",
            "Repeat",
            "Pseudo-code",
            "Route to node",
            "Show",
        ]
        tab.run("document.querySelector('.options input[type=text]').focus()")
        for letter in "105":
            tab.press(letter)
        tab.press("Enter")
        assert state(tab)["target"] == 105
        tab.press("Enter")
        tab.run("document.querySelector('.options input[type=text]').value = '7'")
        tab.press("Enter")
        assert text_of(tab, ".options [role=status]") == "There is no node 7."
        background = "return getComputedStyle(document.body).backgroundColor"
        dark = tab.run(background)
        tab.run(
            "const theme = document.querySelectorAll('.options select')[2];"
            "theme.value = 'paper'; theme.dispatchEvent(new Event('change'))"
        )
        assert tab.run(background) == "rgb(255, 255, 255)" != dark
        tab.press("Escape")
        assert tab.run("return document.querySelector('.options').hidden")
        assert tab.run("return document.activeElement.getAttribute('aria-label')") == "Options"


def test_everything_that_acts_has_a_name(show: Show, result: Result) -> None:
    with show(result) as tab:
        nameless = tab.run(
            "return [...document.querySelectorAll('button, input, select, [tabindex]')]"
            ".filter((e) => !(e.getAttribute('aria-label') || e.innerText?.trim() || e.labels?.[0]?.innerText))"
            ".map((e) => e.outerHTML)"
        )
        assert nameless == []


# ------------------------------------------------------------------------------------------------- address and messages


def test_the_address_says_how_it_begins(show: Show, result: Result) -> None:
    with show(result, "?t=40%25&speed=2&walk=distance&target=105&theme=light&loop&embed#t=4") as tab:
        now = state(tab)
        assert (now["step"], now["speed"], now["walk"], now["target"], now["loop"]) == (4, 2, "distance", 105, True)
        assert not now["playing"]
        assert not tab.run("return getComputedStyle(document.querySelector('.tools')).display !== 'none'")
    with show(result, "?t=40%25") as tab:
        assert state(tab)["fraction"] == pytest.approx(0.4)
    with show(result, "?t=nonsense&target=1e9&speed=-3&walk=sideways&theme=constructor&embed&play") as tab:
        now = state(tab)
        assert (now["playing"], now["speed"], now["walk"], now["target"]) == (True, 1, "step", None)


def test_frames_of_slides_lead_it_by_messages(show: Show, result: Result) -> None:
    with show(result, "?t=1") as tab:
        assert state(tab, wayfront="at", value="50%")["fraction"] == pytest.approx(0.5)
        assert state(tab, wayfront="step", value=2)["step"] == 8
        assert state(tab, wayfront="speed", value=4)["speed"] == 4
        assert state(tab, wayfront="walk", value="time")["walk"] == "time"
        assert state(tab, wayfront="target", value=105)["target"] == 105
        assert state(tab, wayfront="play")["playing"]
        assert not state(tab, wayfront="pause")["playing"]
        assert state(tab, wayfront="at", value="tree")["tree"]
        tab.run("window.heard = 0; addEventListener('message', () => window.heard++)")
        place_of(tab, 105)
        tab.run("await new Promise((resolve) => setTimeout(resolve, 50))")
        assert tab.run("return window.heard") == 2, "an answer is no question, even to a page that asks itself"
        for useless in (
            None,
            3,
            "text",
            {"wayfront": "constructor"},
            {"wayfront": "at", "value": {}},
            {"wayfront": "at", "value": {"toString": 1, "valueOf": 1}},
            {"wayfront": "theme", "value": {"toString": 1, "valueOf": 1}},
            {"wayfront": "theme", "value": "toString"},
        ):
            tab.run("postMessage(given[0], '*')", useless)
        assert state(tab)["tree"]


def test_a_split_node_is_one_node(show: Show) -> None:
    """No way leads to its first copy, and the route to it passes its last two."""
    network = RoadNetwork.from_arcs(
        name="split",
        node_count=5,
        tails=np.array([0, 1, 1, 2]),
        heads=np.array([2, 3, 4, 3]),
        metrics=[Metric("length", "m", 1.0, np.array([500, 0, 500, 0], np.int32))],
        node_ids=np.array([1, 2, 2, 2, 3]),
        coordinates=np.array([[0, 0], [5000, 0], [5000, 0], [5000, 0], [10000, 0]]),
    )
    with show(make_result(network, 0, runs_ms=(1.0,)), "?target=2&t=tree") as tab:
        assert state(tab)["distance"] == 500
        assert text_of(tab, ".route") == "Route to node 2: 500 m, 2 nodes"
        assert state(tab, wayfront="target", value=1)["route"] == [1]
        assert text_of(tab, ".route") == "Route to node 1: 0 m, 1 node"


# -------------------------------------------------------------------------------------------- a source that is dragged


def tree_of(tab: Tab) -> dict[str, Any]:
    """Return the tree that a page shows."""
    told: dict[str, Any] = tab.run(
        "return await new Promise((resolve) => {"
        " addEventListener('message', ({ data }) => { if (data.distances) resolve(data); });"
        " postMessage({ wayfront: 'tree' }, '*'); })"
    )
    return told


def wait_for_source(tab: Tab, node: int) -> dict[str, Any]:
    until = time.monotonic() + 60
    while (now := state(tab))["source"] != node:
        assert time.monotonic() < until, f"node {node} is still not the source"
    return now


def live_page(result: Result) -> str:
    scene = Scene.of_result(result)
    scene.wanted = Layers(graph=False)
    return document.page_of(Content.of(scene, result, Opening(live=True)))


def test_the_tree_of_a_dragged_source_is_the_kernels(show: Show, result: Result) -> None:
    grid = result.network
    prepared = wayfront.prepare(grid, device="cpu")
    with show(live_page(result), "?t=3") as tab:
        tab.wait_for("document.documentElement.dataset.live")
        x, y = place_of(tab, 130)
        to_x, to_y = place_of(tab, 105)
        before = state(tab)["view"]
        tab.drag(x, y, to_x - x + 3, to_y - y - 2)
        now = wait_for_source(tab, 105)
        assert (now["moved"], now["tree"], now["view"]) == (True, True, before), "the map stays where it is"
        tree, expected = tree_of(tab), prepared.tree(grid.node(105))
        assert tree["distances"] == expected.distances.tolist()
        assert tree["parents"] == [None if p < 0 else int(grid.node_ids[p]) for p in expected.parents]
        assert text_of(tab, ".figures").split("\n")[:4] == ["source", "Node 105", "reached", "108 nodes"]
        tab.click(*place_of(tab, 130))
        assert state(tab)["route"] == grid.node_ids[expected.route(grid.node(130)).nodes].tolist()
        tab.press("Right")
        now = state(tab)
        assert (now["source"], now["moved"], now["tree"], now["step"]) == (130, False, False, 4)
        assert tree_of(tab)["distances"] == result.distances.tolist()


def test_another_source_is_asked_for_by_keys_messages_and_the_address(show: Show, result: Result) -> None:
    with show(live_page(result), "?source=101") as tab:
        wait_for_source(tab, 101)
        tab.press("?")
        tab.run("document.querySelectorAll('.options input[type=text]')[1].focus()")
        for letter in "117":
            tab.press(letter)
        tab.press("Enter")
        wait_for_source(tab, 117)
        state(tab, wayfront="source", value=208)
        assert wait_for_source(tab, 208)["moved"], "which no street reaches"
        assert text_of(tab, ".figures").split("\n")[3] == "1 node"
        state(tab, wayfront="source", value=None)
        assert not wait_for_source(tab, 130)["moved"]


def test_trees_of_one_view_look_as_if_each_were_drawn_anew(show: Show, result: Result) -> None:
    """From the second one on, only what differs from the tree before is drawn."""

    def drawn(tab: Tab) -> np.ndarray:
        tab.run("for (const e of document.querySelectorAll('.map > :not(.roads)')) e.style.visibility = 'hidden';")
        return tab.picture(".map").astype(np.int16)

    with show(live_page(result), "?t=3") as tab:
        for node in (101, 117, 208, 130, 105):
            state(tab, wayfront="source", value=node)
            wait_for_source(tab, node)
            tab.run("for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame)")
        followed = drawn(tab)
    with show(live_page(result), "?t=3&source=105") as tab:
        wait_for_source(tab, 105)
        tab.run("for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame)")
        alone = drawn(tab)
    assert alone.std() > 10
    assert np.abs(followed - alone).max() <= 4


@pytest.mark.parametrize("seed", [1, 2])
def test_trees_of_odd_networks_are_the_kernels(show: Show, seed: int) -> None:
    """With parallel arcs, loops, weights of zero and of many digits, closed roads, and parts that nothing reaches."""
    random = np.random.default_rng(seed)
    n, m = 90, 260
    tails = random.integers(0, n, m)
    heads = np.where(random.random(m) < 0.9, (tails + random.integers(0, 4, m)) % n, random.integers(0, n, m))
    weights = random.choice([0, 0, 1, 2, 2, 5, 40, 20_000_000], m).astype(np.int32)
    network = RoadNetwork.from_arcs(
        name="odd",
        node_count=n,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1.0, weights)],
        node_ids=random.permutation(3 * n)[:n],
        coordinates=random.integers(0, 50_000, (n, 2)),
    )
    closed = random.choice(network.arc_count, 9, replace=False).tolist()
    reverse = seed == 2
    result = wayfront.search(network, 0, "dijkstra", "cpu", trace=True, closures=closed, reverse=reverse)
    with show(live_page(result)) as tab:
        for node in random.choice(n, 5, replace=False).tolist():
            state(tab, wayfront="source", value=int(network.node_ids[node]))
            wait_for_source(tab, int(network.node_ids[node]))
            tree = tree_of(tab)
            expected = wayfront.search(network, node, "dijkstra", "cpu", closures=closed, reverse=reverse)
            assert tree["distances"] == expected.distances.tolist()
            assert tree["parents"] == [None if p < 0 else int(network.node_ids[p]) for p in expected.parents]


def test_a_source_stays_where_no_trees_can_be_made(show: Show, result: Result) -> None:
    """As on a phone with too little memory; here the cut is none."""
    scene = Scene.of_result(result)
    scene.wanted = Layers(graph=False)
    content = Content.of(scene, result, Opening(live=True))
    children = "cut children"
    damaged = replace(content, sections=content.sections | {children: bytes(len(content.sections[children]))})
    with show(document.page_of(damaged), "?t=3&source=101") as tab:
        assert tab.wait_for("document.documentElement.dataset.live") == "failed"
        x, y = place_of(tab, 130)
        before = state(tab)["view"]
        tab.drag(x, y, 60, 0)
        now = state(tab, wayfront="source", value=105)
        assert (now["source"], now["moved"], now["step"]) == (130, False, 3)
        assert (now["view"]["left"] - before["left"]) * before["scale"] == pytest.approx(-60), "the map moves"
        tab.press("?")
        assert "Source at node" not in text_of(tab, ".options")


_KERNEL = """
const text = new Blob([given[0]], { type: "text/javascript" });
const front = (await import(URL.createObjectURL(text))).default;
const traits = given[1], heard = {};
window.sent = [];
window.model = {
  get: (name) => traits[name],
  set: (name, value) => { traits[name] = value; },
  save_changes: () => { window.saved = traits.state; },
  send: (content) => window.sent.push(content),
  on: (name, act) => { heard[name] = act; },
  off: (name) => { delete heard[name]; },
};
window.hear = (content, buffers) => heard["msg:custom"](content, buffers);
window.stop = front.render({ model: window.model, el: document.createElement("div") });
"""
"""A notebook's part of a widget, with what it sends and hears in plain variables."""


def test_a_notebook_drags_with_the_kernels_trees(browser: Browser, result: Result, tmp_path: Path) -> None:
    """The front end of the widget in a page of its own; what it sends and hears goes to and fro by hand."""
    shown, kernel = result.network.drag(result.source), KernelSide()
    path = tmp_path / "notebook.html"
    path.write_text(shown._repr_mimebundle_()["text/html"], "utf-8")
    with browser.tab(800, 600) as tab:
        tab.open(path.as_uri())
        tab.run(_KERNEL, FRONT, {"frame": shown._link.frame, "serves": True})
        assert tab.wait_for("window.saved")["source"] == 130
        tell = "window.hear({ tell: { wayfront: given[0], value: given[1] } }, [])"
        cycle = {"index": result.network.node(117), "wide": False, "ms": 1}
        round_about = np.zeros(result.network.node_count, np.int32)
        round_about[0] = 1
        for content, parents in (({"given": cycle["index"]}, None), (cycle, round_about)):
            tab.run(tell, "source", 117)
            assert tab.wait_for("window.sent.shift()") == {"want": cycle["index"]}
            tab.run(tell, "source", None)  # by then nobody wants it any more
            hear(tab, content, [] if parents is None else [round_about.data, parents.data])
        tab.run(tell, "source", 105)
        assert tab.wait_for("window.sent.shift()") == {"want": result.network.node(105)}
        shown._link._answer(kernel, {"want": result.network.node(105)}, [])
        content, buffers = kernel.sent
        hear(tab, content, buffers)
        tab.run(tell, "target", 130)
        assert tab.wait_for("window.saved?.moved && window.saved.target === 130")
        tree = wayfront.search(result.network, result.network.node(105), "dijkstra", "cpu")
        now = tab.run("return window.saved")
        assert (now["source"], now["distance"]) == (105, int(tree.distances[result.source]))
        assert now["route"] == result.network.node_ids[tree.route(result.source).nodes].tolist()
        tab.run("window.stop()")
        assert tab.console == []


def hear(tab: Tab, content: dict[str, Any], buffers: Sequence[memoryview]) -> None:
    """Let the notebook hear what the kernel sends."""
    tab.run(
        "window.hear(given[0], given[1].map((bytes) => new DataView(Uint8Array.from(bytes).buffer)))",
        content,
        [list(buffer.cast("B")) for buffer in buffers],
    )


class KernelSide:
    """A widget that keeps what the kernel sends."""

    def send(self, content: dict[str, Any], buffers: list[memoryview]) -> None:
        self.sent = content, buffers


# -------------------------------------------------------------------------------------------------- strangers' contents


def test_a_notebook_shows_it_in_a_closed_frame(browser: Browser, result: Result, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(result.show("4")._repr_mimebundle_()["text/html"], "utf-8")
    with browser.tab(800, 600) as tab:
        tab.open(path.as_uri())
        told = tab.run(
            "return await new Promise((resolve) => {"
            " addEventListener('message', ({ data }) => { if (data.wayfront === 'now') resolve(data); });"
            " const ask = () => document.querySelector('iframe').contentWindow.postMessage({ wayfront: 'state' }, '*');"
            " setInterval(ask, 50); })"
        )
        assert (told["step"], told["playing"], told["source"]) == (4, False, 130)
        assert tab.console == []


def test_hostile_names_do_nothing(show: Show, result: Result) -> None:
    evil = '<img src=x onerror="document.title=1">\u202e</script><script>document.title=2</script>${1}{count}'
    network = replace(result.network, name=evil, attribution=evil)
    hostile = replace(result, network=network, algorithm="dijkstra", device_name=evil)
    page = page_of(hostile, evil)
    with show(page, "?t=tree&target=%3Cimg%20src=x%3E") as tab:
        assert tab.run("return document.title") == evil
        assert tab.run("return document.querySelectorAll('img, script[src], iframe').length") == 0
        assert text_of(tab, "h1").startswith("<img")


def _with_data(page: str, change: Callable[[bytes], bytes]) -> str:
    """Return a page with other numbers."""

    def packed(found: re.Match[str]) -> str:
        return base64.b64encode(zlib.compress(change(zlib.decompress(base64.b64decode(found[0]))))).decode()

    return re.sub(r'(?<=id="data">)[^<]*', packed, page)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda page: re.sub(r'(id="data">.{40})', r"\1AAAA", page), "its data"),
        (lambda page: re.sub(r'(id="data">)[^<]*', r"\1", page), "its data"),
        (lambda page: page.replace('"version":1,', '"version":2,'), "it is of version 2"),
        (lambda page: page.replace('"nodes":109', '"nodes":110'), "longer|ends too early"),
        (lambda page: re.sub(r'"source":(?=[0-9])', '"source":9', page), "its source is no node"),
        (lambda page: _with_data(page, lambda data: b"\xff\xff\xff\xff\x7f" + data[5:]), "x has a number that is too"),
        (lambda page: page.replace('{"title"', "{{"), "its heading cannot be read"),
    ],
    ids=["garbled", "empty", "newer", "longer", "no source", "too large", "no heading"],
)
def test_a_damaged_page_says_so(show: Show, result: Result, change: Callable[[str], str], why: str) -> None:
    page = page_of(result)
    damaged = change(page)
    assert damaged != page
    with show(damaged) as tab:
        assert re.search(f"This page cannot be shown: .*{why}", text_of(tab, "[role=alert]"))


def test_a_page_of_the_first_version_is_read(show: Show) -> None:
    with show(drawable(KEPT), "?target=105&t=5") as tab:
        now = state(tab)
        assert (now["step"], now["steps"], now["target"], now["distance"]) == (5, 11, 105, 319)


def drawable(path: Path) -> str:
    """Return a kept page with what draws it."""
    script, style = document.bundle()
    return path.read_text("utf-8").replace("/*style*/", style).replace("/*script*/", script)


def test_a_kept_lesson_is_played(show: Show) -> None:
    with show(drawable(KEPT_LESSON), "?speed=32") as tab:
        play_through(tab)


# -------------------------------------------------------------------------------------------------------------- screens


@pytest.mark.parametrize(("size", "theme"), [((390, 780), "dark"), ((1280, 720), "projector"), ((700, 320), "light")])
def test_nothing_is_cut_on_small_screens(show: Show, result: Result, size: tuple[int, int], theme: str) -> None:
    use_language("ja")
    with show(result, f"?t=4&theme={theme}", size) as tab:
        tab.press("?")
        outside = tab.run(
            "const w = innerWidth, h = innerHeight;"
            "const all = [...document.querySelectorAll('button, .bar input, .options, h1, .credit, .legend')];"
            "return all.filter((e) => {"
            " const b = e.getBoundingClientRect(), panel = e.closest('.options');"
            " const rolled = panel && panel !== e;"
            " return b.width && (b.left < 0 || b.right > w + 0.5 || (!rolled && (b.top < 0 || b.bottom > h + 0.5)));"
            "}).map((e) => e.className || e.tagName)"
        )
        assert outside == []
        assert tab.run("return document.documentElement.scrollWidth <= innerWidth")
        assert "ステップ" in text_of(tab, ".figures")


# ----------------------------------------------------------------------------------- races, lessons and what is carried


@pytest.fixture(scope="module")
def raced(result: Result) -> str:
    """The page of a race: 2 ms against 4 and 5, of which the last two differ by less than their runs do."""
    grid = result.network
    others = [("dijkstra", (2.0, 2.0)), ("near-far", (4.0, 4.0)), ("dijkstra-heap", (3.9, 5.0, 6.0))]
    results = [replace(make_result(grid, grid.node(130), runs_ms=runs), algorithm=name) for name, runs in others]
    shown = []
    for each in results:
        scene = Scene.of_result(each)
        scene.wanted = Layers(graph=False)
        shown.append((scene, each))
    return document.page_of(race_of(shown, Opening(walk=Walk.TIME)))


def test_searches_race_on_one_clock(show: Show, raced: str) -> None:
    with show(raced, "?t=50%25") as tab:
        captions = "return [...document.querySelectorAll('.lane-caption')].map((e) => e.innerText.split(/\\n+/))"
        first, second, _ = tab.run(captions)
        assert first == ["1", "Dijkstra, bucket queue", "2.00 ms"]
        assert second == ["Near-far", "2.50 ms"]
        assert state(tab)["places"] == [1, 0, 0]
        assert state(tab, wayfront="at", value="100%")["places"] == [1, 2, 2]
        tab.press("w")
        assert state(tab)["walk"] == "distance"
        tab.press("w")
        tab.press("Home")
        tab.press("Right")
        assert state(tab)["lanes"] == [2, 2, 2]
        x, y = place_of(tab, 105)
        tab.move(x, y)
        assert "Node 105" in text_of(tab, ".tip")
        tab.click(x, y)
        assert "Route to node 105" in text_of(tab, ".route")
        tab.press("t")
        tab.click_on(named("Zoom in"))
        tab.run("await new Promise((resolve) => setTimeout(resolve, 150))")
        seen = tab.picture(".lanes")
        width = tab.place(".lane")[2]
        halves = [seen[110:, left : left + 150].astype(np.int16) for left in (0, round(width) + 1)]
        assert halves[0].std() > 10
        assert np.abs(halves[0] - halves[1]).mean() < 2, "all maps move together"


def test_a_race_shows_where_distances_differ(show: Show, result: Result) -> None:
    """As the window does, on all maps but the first."""
    grid = result.network
    closed = [int(arc) for arc in np.flatnonzero(grid.targets == grid.node(131))]
    other = wayfront.search(grid, result.source, "dijkstra", "cpu", trace=True, closures=closed)
    shown = []
    for found in (result, other):
        scene = Scene.of_result(found)
        scene.wanted = Layers(graph=False)
        shown.append((scene, found))
    expected = Difference.of(result, other)
    assert expected is not None and expected.differ > 1 < expected.most
    captions = "return [...document.querySelectorAll('.figure')].map((e) => e.innerText)"
    with show(document.page_of(race_of(shown, Opening())), "?t=tree") as tab:
        before = [tab.picture(f".lane:nth-child({k})").astype(np.int16) for k in (1, 2)]
        tab.press("d")
        tab.run("for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame)")
        assert state(tab)["difference"]
        most = expected.metric.describe(expected.most)
        assert tab.run(captions)[1] == f"differs at {expected.differ} nodes by up to {most}; only one reaches 1 node"
        assert text_of(tab, ".legend").startswith("difference of the")
        apart = [np.abs(tab.picture(f".lane:nth-child({k})") - before[k - 1])[110:].max() for k in (1, 2)]
        assert apart[0] < 10
        assert apart[1] > 50
        assert not state(tab, wayfront="difference", value=False)["difference"]
        tab.run("for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame)")
        assert np.abs(tab.picture(".lane:nth-child(2)") - before[1])[110:].max() < 10
        assert "differs" not in tab.run(captions)[1]
    with show(document.page_of(race_of(shown[:1] * 2, Opening())), "?t=tree&difference") as tab:
        assert tab.run(captions)[1] == text_of(tab, ".legend").strip() == "no difference"


def test_searches_of_different_networks_race_each_on_its_own_map(show: Show, result: Result) -> None:
    """As where a neighbourhood runs beside all of a network: a node has another number there, and another place."""
    whole = result.network
    part = cut_out(whole, whole.node(207), 30).network
    shown = []
    for network in (whole, part):
        found = make_result(network, network.node(207), runs_ms=(2.0,))
        scene = Scene.of_result(found)
        scene.wanted = Layers(graph=False)
        shown.append((scene, found))
    with show(document.page_of(race_of(shown, Opening())), "?t=tree") as tab:
        tab.wait_for("document.querySelector('.lane:nth-child(2)').getBoundingClientRect().left > 400")
        left, top, width, height = tab.place(".lane:nth-child(2) .roads")
        for share in range(20, 80, 2):
            tab.move(left + share / 100 * width, top + share / 100 * height)
            if not tab.run("return document.querySelector('.tip').hidden"):
                break
        node = int(text_of(tab, ".tip").split()[1])
        assert whole.node(node) != part.node(node)
        tab.click(left + share / 100 * width, top + share / 100 * height)
        assert state(tab)["target"] == node
        tab.run("await new Promise((resolve) => setTimeout(resolve, 100))")
        before = state(tab)["view"]
        tab.turn(left + width / 2, top + height / 2, -240)
        assert state(tab)["view"] == before, "places of the one plane are others in the other one"


def test_a_race_stands_below_each_other_on_a_phone(show: Show, raced: str) -> None:
    finger = "return getComputedStyle(document.querySelector('.lane .marks')).touchAction"
    with show(raced, "?t=50%25&theme=paper", (390, 780)) as tab:
        boxes = tab.run(
            "return [...document.querySelectorAll('.lane')].map((e) => e.getBoundingClientRect())"
            ".map((b) => [b.left, b.top, b.width, b.height])"
        )
        assert len({left for left, *_ in boxes}) == 1
        assert all(370 <= width <= 390 and height >= 180 for *_, width, height in boxes)
        assert [top for _, top, *_ in boxes] == sorted({top for _, top, *_ in boxes})
        assert tab.run("const e = document.querySelector('.lanes'); return e.scrollHeight > e.clientHeight")
        assert tab.run(finger) == "pan-y", "it scrolls to the other maps"
        assert tab.run("return document.documentElement.scrollWidth <= innerWidth")
    with show(raced, "?t=50%25") as tab:
        assert tab.run(finger) == "none", "it moves the map"


def test_many_searches_can_be_told_apart_on_a_phone_that_lies(show: Show, raced: str) -> None:
    with show(raced, "?t=50%25", (500, 300)) as tab:
        assert tab.run("return Math.min(...[...document.querySelectorAll('.lane')].map((e) => e.clientHeight))") >= 160
    with show(raced, "?t=50%25", (760, 300)) as tab:
        widths = tab.run("return [...document.querySelectorAll('.lane')].map((e) => e.clientWidth)")
        assert min(widths) >= 220


def test_lines_of_pseudo_code_are_lit_in_step(show: Show) -> None:
    network = wayfront.open_network("example:paper-e")
    result = wayfront.search(network, 0, "near-far", "cpu", trace=True)
    assert result.trace is not None
    told = explain("near-far")
    lit = "return document.querySelector('.code [aria-current]')?.innerText ?? ''"
    with show(page_of(result, as_roads=False), "?t=1") as tab:
        for step in range(len(result.trace)):
            now = state(tab, wayfront="at", value=str(step + 1))
            mode, _, phase = (result.trace.label_names[label] for label in result.trace.labels[step])
            line = told.line_at_work(phase, mode, in_vain=bool(result.trace.improved[step] == 0))
            assert now["step"] == step + 1
            assert tab.run(lit) == ("" if line is None else told.code[line].text)
        assert place_of(tab, 5)[0] < tab.place(".code")[0], "the graph keeps clear of it"
        tab.press("c")
        assert tab.run("return document.querySelector('.code').hidden")


def play_through(tab: Tab) -> None:
    """Answer all that the lesson ``PLAYED`` asks, wrongly and rightly, and look at what each moment shows."""
    still = "document.querySelector('.scrub') === null || !document.querySelector('[aria-label=Pause]')"
    assert text_of(tab, "h2") == "Two nodes & <b>more"
    assert text_of(tab, ".prose") == "Node C is settled: dC."
    assert tab.run("return document.querySelectorAll('.prose b, .prose i, .prose sub').length") == 5
    tab.wait_for(still)
    assert state(tab)["step"] == 2
    assert not tab.run("return document.querySelector('.code').hidden")
    tab.click_on(".choice:nth-child(1)")
    assert text_of(tab, ".said") == "Not quite. The answer: The <i>second\n\nAs it is."
    assert tab.run("return [...document.querySelectorAll('.choice')].map((e) => e.className)") == [
        "choice wrong",
        "choice right",
    ]
    tab.press("PageDown")
    tab.wait_for(still)
    assert state(tab)["step"] == 3
    x, y = place_of(tab, 2)
    tab.click(x, y)
    tab.run("document.querySelector('.asks input').focus()")
    tab.press("D")
    tab.press("Enter")
    assert text_of(tab, ".chips").split() == ["B", "D"]
    tab.click_on(".chip:nth-child(2)")
    tab.run("document.querySelector('h2').focus()")
    tab.press("q")
    assert state(tab)["step"] == 4
    assert text_of(tab, ".said") in {
        "Right: exactly this node.",
        "0 right, 1 wrong, 1 missed\n\nThe next step expands: D",
    }
    tab.press("PageDown")
    tab.wait_for(f"({still}) && document.querySelector('.toggle').getAttribute('aria-pressed') === 'true'")
    assert tab.run("return document.querySelectorAll('.lane').length") == 2
    assert len(state(tab)["route"]) > 1
    tab.press("PageDown")
    tab.wait_for(still)
    assert "225 nodes" in text_of(tab, ".caption")
    tab.press("PageDown")
    assert "trips of everybody to everywhere" in text_of(tab, ".legend")
    tab.press("PageDown")
    assert tab.run("return document.querySelector('.board img').naturalWidth") == 200
    assert tab.run("return document.querySelector('.word.strong').disabled")
    tab.press("PageUp")
    assert text_of(tab, ".place-of") == "Moment 5 of 6"


def test_a_lesson_is_on_a_phone(show: Show) -> None:
    with show(drawable(KEPT_LESSON), "?moment=2&theme=light", (390, 780)) as tab:
        assert state(tab)["moment"] == 2
        assert tab.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture(scope="module")
def carried() -> tuple[FlowsFound, str]:
    """What the streets of the grid carry, and its page."""
    grid = make_grid()
    found = FlowsFound.of(Asked("one", None), wayfront.flows(grid, device="cpu"), np.zeros(0, np.int64))
    scene = Scene.of(grid)
    scene.wanted = Layers(graph=False)
    return found, document.page_of(flows_content(scene, found, Opening()))


@pytest.mark.parametrize("of", ["a search", "streets", "a lesson"])
def test_a_page_is_as_light_as_its_reader_wants(
    show: Show, result: Result, carried: tuple[FlowsFound, str], of: str
) -> None:
    page = {"a search": result, "streets": carried[1], "a lesson": drawable(KEPT_LESSON)}[of]
    with show(page, "?theme=auto") as tab:
        wanted = "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'"
        assert tab.run(f"return document.documentElement.style.colorScheme === ({wanted})")


def test_streets_tell_what_they_carry(show: Show, carried: tuple[FlowsFound, str]) -> None:
    found, page = carried
    busiest = int(np.argmax(found.on_roads))
    arc = int(Roads.of(found.network).arcs(busiest)[0])
    ids = found.network.node_ids[[found.network.tails()[arc], found.network.targets[arc]]]
    with show(page) as tab:
        (left, top), (right, bottom) = (place_of(tab, int(node)) for node in ids)
        tab.move((left + right) / 2, (top + bottom) / 2)
        facts = dict(found.facts(busiest))
        said = dict(line.split(": ") for line in text_of(tab, ".tip").split("\n") if line)
        assert said == facts
        tab.press("?")
        tab.run(
            "const theme = document.querySelector('.options select');"
            "theme.value = 'paper'; theme.dispatchEvent(new Event('change'))"
        )
        assert tab.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
