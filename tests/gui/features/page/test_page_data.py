"""What a page holds: read back in plain Python, and the file round it. Browsers are in ``test_page_in_browsers``."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.gui.conftest import drawn

import wayfront
from calling import Command, command
from lessons import BEGINS_WITH_FLOWS, PLAYED
from named_town import SIDE, named_town
from repository import REPOSITORY
from there import there
from wayfront.dissection.store import dissection_of
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import MissingPackageError, OptionError
from wayfront_gui.features.flows.page import flows_content
from wayfront_gui.features.flows.state import Asked, FlowsFound
from wayfront_gui.features.page import content as contents
from wayfront_gui.features.page import document, live
from wayfront_gui.features.page.coding import LARGEST, packed, signed, varints
from wayfront_gui.features.page.content import Content, Opening
from wayfront_gui.features.page.small import EXPANDED, LOWERED, SETTLED, UNREACHED, WAITING
from wayfront_gui.features.page.surroundings import COARSER
from wayfront_gui.features.page.words import words
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.ui.translation import use_language

WEB = REPOSITORY / "web"


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages bring a script and a style of no use, so that they can be written where there is no Node.js."""
    monkeypatch.setattr(document, "bundle", lambda: ("show()", "main { color: red }"))


def numbers(section: bytes) -> list[int]:
    """Read whole numbers of seven bits a byte, as slowly and plainly as can be."""
    out, value, shift = [], 0, 0
    for byte in section:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(value)
            value = shift = 0
    assert shift == 0
    return out


def with_signs(values: list[int]) -> list[int]:
    return [-(value + 1) // 2 if value % 2 else value // 2 for value in values]


def summed(values: list[int]) -> list[int]:
    return np.cumsum(np.array(values, np.int64)).tolist()


def scene_of(result: Result) -> Scene:
    """Return a scene that shows roads, however few they are."""
    scene = Scene.of_result(result)
    scene.wanted = AS_ROADS
    return scene


def content_of(result: Result, opening: Opening | None = None) -> Content:
    return Content.of(scene_of(result), result, opening or Opening())


class Read:
    """A content, read back."""

    def __init__(self, content: Content) -> None:
        sections = content.sections
        nodes = content.heading["nodes"]
        degree, ahead = numbers(sections["degree"]), numbers(sections["ahead"])
        self.low = [node for node in range(nodes) for _ in range(degree[node])]
        self.high = [low + more for low, more in zip(self.low, ahead, strict=True)]
        meets: list[list[int]] = [[] for _ in range(nodes)]
        for edge, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            for end in {low, high}:
                meets[end].append(edge)
        self.way = [meets[node][way - 1] if way else -1 for node, way in enumerate(numbers(sections["way"]))]
        self.parent = [
            -1 if edge < 0 else self.low[edge] + self.high[edge] - node for node, edge in enumerate(self.way)
        ]
        self.first = self._down(with_signs(numbers(sections["first"])))
        self.distance = self._down(with_signs(numbers(sections["distance"])))
        self.frontiers: list[set[int]] = [set() for _ in range(content.heading["steps"])]
        when = iter(with_signs(numbers(sections["when"])))
        for node, times in enumerate(numbers(sections["times"])):
            step = self.first[node]
            for _ in range(times):
                step += next(when)
                self.frontiers[step].add(node)
        assert next(when, None) is None

    def _down(self, above: list[int]) -> list[int]:
        def value(node: int) -> int:
            parent = self.parent[node]
            return above[node] + (value(parent) + 1 if parent >= 0 else 0) - 1

        return [value(node) for node in range(len(above))]


def random_network(draw: st.DrawFn) -> RoadNetwork:
    nodes = draw(st.integers(1, 9))
    ends = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1), st.integers(0, 4))
    arcs = np.array(draw(st.lists(ends, max_size=24)), np.int32).reshape(-1, 3)
    places = draw(st.lists(st.tuples(*[st.integers(0, 50_000)] * 2), min_size=nodes, max_size=nodes))
    return RoadNetwork.from_arcs(
        name="random",
        node_count=nodes,
        tails=arcs[:, 0],
        heads=arcs[:, 1],
        metrics=[Metric("length", "m", 1.0, arcs[:, 2])],
        coordinates=np.array(places, np.int32),
        node_ids=np.arange(nodes) * 7 - 3,
    )


random_networks = st.composite(random_network)()


@settings(max_examples=40, deadline=None)
@given(random_networks, st.data())
def test_what_a_search_found_is_read_back(network: RoadNetwork, data: st.DataObject) -> None:
    """With parallel arcs, loops, weights of zero and parts that nothing reaches."""
    result = wayfront.search(network, data.draw(st.integers(0, network.node_count - 1)), "near-far", "cpu", trace=True)
    assert result.trace is not None
    content = content_of(result)
    read = Read(content)
    assert read.parent == result.parents.tolist()
    assert read.distance == result.distances.tolist()
    assert read.first == result.trace.first_reached.tolist()
    assert read.frontiers == [set(result.trace.frontier(step).tolist()) for step in range(len(result.trace))]
    tails = np.repeat(np.arange(network.node_count), network.out_degrees())
    roads = {(min(a, b), max(a, b)) for a, b in zip(tails.tolist(), network.targets.tolist(), strict=True) if a != b}
    assert {(a, b) for a, b in zip(read.low, read.high, strict=True) if a != b} == roads
    assert summed(with_signs(numbers(content.sections["ids"]))) == network.node_ids.tolist()
    settled = summed(with_signs(numbers(content.sections["settled"])))
    assert settled == result.trace.settled_distance(result.distances).tolist()


def test_places_are_near_where_they_were(result: Result) -> None:
    content = content_of(result)
    scene, heading = Scene.of_result(result), content.heading
    assert scene.geometry is not None
    for axis, corner, exact in (
        ("x", heading["corner"][0], scene.geometry.x),
        ("y", heading["corner"][1], scene.geometry.y),
    ):
        places = corner + heading["unit"] * np.array(summed(with_signs(numbers(content.sections[axis]))))
        assert np.abs(places - exact).max() <= 0.51 * heading["unit"]
    assert heading["unit"] <= 1


def test_bends_run_from_the_smaller_end_of_their_road() -> None:
    """One street both ways, a parallel one the tree takes, and a loop."""
    arcs = [(1, 0), (0, 1), (0, 1), (1, 1)]
    points = [[900, 400], [100, 300], [100, 300], [900, 400], [500, -700], [1500, 100], [1500, -100]]
    shapes = Shapes(np.array([0, 2, 4, 5, 7]), np.array(points, np.int32))
    network = drawn(arcs, [(0, 0), (1000, 0)], shapes)
    metric = Metric("length", "m", 1.0, np.array([9, 2, 9, 1], np.int32))
    result = wayfront.search(replace(network, metrics=(metric,)), 0, "dijkstra", "cpu", trace=True)
    content = content_of(result)
    read = Read(content)
    assert list(zip(read.low, read.high, strict=True)) == [(0, 1), (0, 1), (1, 1)]
    bends = numbers(content.sections["bends"])
    assert sorted(bends[:2]) == [1, 2]
    assert bends[2] == 2
    assert bends[read.way[1]] == 1, "the tree takes the lighter road"
    nodes = summed(with_signs(numbers(content.sections["x"])))
    moved = with_signs(numbers(content.sections["bend x"]))
    at, found = 0, []
    for edge, count in enumerate(bends):
        x, places = nodes[read.low[edge]], []
        for move in moved[at : at + count]:
            x += move
            places.append(round(x * content.heading["unit"]))
        at += count
        found.append(places)
    degree = 111.2  # metres east of a thousandth of a degree at the equator
    expected = [[500], [100, 900], [1500, 1500]] if bends[0] == 1 else [[100, 900], [500], [1500, 1500]]
    assert np.concatenate(found) == pytest.approx(np.concatenate(expected) * degree / 1000, abs=1)


def test_closed_roads_are_named(grid: RoadNetwork) -> None:
    closed = np.array([3, 4], np.int64)
    result = wayfront.search(grid, 0, "dijkstra", "cpu", trace=True, closures=closed)
    content = content_of(result)
    read = Read(content)
    tails = np.repeat(np.arange(grid.node_count), grid.out_degrees())
    ends = {(min(tails[arc], grid.targets[arc]), max(tails[arc], grid.targets[arc])) for arc in closed}
    assert {(read.low[e], read.high[e]) for e in summed(numbers(content.sections["closed"]))} == ends


def test_what_lies_round_the_roads_is_read_back() -> None:
    town = named_town()
    content = content_of(wayfront.search(town, 0, "dijkstra", "cpu", trace=True))
    heading, sections = content.heading, content.sections
    places = {name: (heading["kinds"][kind], size) for kind, name, _, _, size in heading["places"]}
    assert places == {"Gridton": ("city", 50_000), "Midst": ("quarter", 0), "Long Lake": ("water", 190_000)}
    counts = numbers(sections["road points"])
    assert (heading["named_roads"], counts) == (2 * SIDE, [SIDE] * 2 * SIDE)
    named = [heading["road_names"][index] for index in numbers(sections["road name"])]
    assert sorted(named) == sorted({f"Row {r} Street" for r in range(SIDE)} | {f"Column {c}" for c in range(SIDE)})
    assert sections["road rank"][named.index(f"Row {SIDE // 2} Street")] == 2
    y = summed(with_signs(numbers(sections["road y"])))
    row = named.index("Row 3 Street") * SIDE
    assert len(set(y[row : row + SIDE])) == 1, "a row runs from west to east"
    assert [heading["kinds"][kind] for kind in sections["area kind"]] == ["water", "park"]
    assert numbers(sections["area rings"]) == [2, 1]
    assert numbers(sections["ring points"]) == [5, 5, 5]
    across = summed(with_signs(numbers(sections["ring x"])))
    assert across[0] == across[4]
    metres = (across[1] - across[0]) * heading["unit"] * COARSER
    assert metres == pytest.approx(4_000 * METRES_PER_DEGREE / 1e6, rel=0.02)


def test_a_small_graph_has_what_its_search_did() -> None:
    """The search of the paper's figure: B is expanded in step 4, which lowers E from 12 to 11."""
    network = wayfront.open_network("example:paper-e")
    result = wayfront.search(network, 0, "near-far", "cpu", trace=True)
    graph = json.loads(Content.of(Scene.of_result(result), result, Opening()).sections["graph"])
    assert graph["names"] == ["A", "B", "C", "D", "E"]
    assert len(graph["moments"]) == len(graph["held"]) == len(there(result.trace)) + 1
    before, after = graph["moments"][0], graph["moments"][-1]
    assert before["labels"] == ["0", *4 * ["∞"]]
    assert before["states"] == f"{WAITING}{4 * str(UNREACHED)}"
    assert after["labels"] == graph["tree"]["labels"] == ["0", "8", "4", "6", "11"]
    fell = next(moment for moment in graph["moments"] if moment["fell"].get("4") == "12")
    assert (fell["labels"][4], fell["states"][1]) == ("11", str(EXPANDED))
    lowering = [arc for tail, head, arc, *_ in graph["arcs"] if (tail, head) == (1, 4)]
    assert [fell["kinds"][arc] for arc in lowering] == [str(LOWERED)]
    assert graph["tree"]["states"] == 5 * str(SETTLED)
    assert [title for title, _ in graph["held"][1]] == ["Near pile", "Far pile"]
    assert "graph" not in content_of(result).sections


@given(st.lists(st.integers(0, LARGEST)))
def test_numbers_of_any_size_are_read_back(values: list[int]) -> None:
    assert numbers(varints(np.array(values, np.int64))) == values


@given(st.lists(st.integers(-(1 << 52), 1 << 52)))
def test_signs_are_read_back(values: list[int]) -> None:
    assert with_signs(signed(np.array(values, np.int64)).tolist()) == values


@pytest.mark.parametrize("value", [-1, LARGEST + 1])
def test_numbers_that_browsers_cannot_hold_are_refused(value: int) -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        varints(np.array([3, value]))


# ------------------------------------------------------------------------------------------------------------ the file


def parts(page: str) -> tuple[dict[str, Any], bytes]:
    """Return the heading and the data of a page."""
    heading = re.search(r'<script type="application/json" id="heading">(.*?)</script>', page, re.DOTALL)
    data = re.search(r'<script type="application/octet-stream" id="data">(.*?)</script>', page, re.DOTALL)
    assert heading is not None
    assert data is not None
    return json.loads(heading[1]), base64.b64decode(data[1])


def test_the_page_holds_its_content_and_a_policy_for_just_what_it_brings(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "search.html"
    size = document.write_content(Content.of(scene_of(result), result, Opening("A town")), path)
    page = path.read_text("utf-8")
    assert path.stat().st_size == size
    heading, data = parts(page)
    content = content_of(result)
    assert data == packed(content.sections)
    assert sum(count for _, count in heading["sections"]) == len(zlib.decompress(data))
    assert heading["version"] == contents.VERSION
    assert heading["title"] == "A town"
    assert "a processor" in heading["subtitle"]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    for kind, text in (("script-src", "show()"), ("style-src", "main { color: red }")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "http" not in policy[1]


def test_names_are_texts(result: Result) -> None:
    evil = '</script><script>alert("1")</script><!--\u2028'
    network = replace(result.network, name=evil, attribution=evil)
    page = document.page_of(content_of(replace(result, network=network), Opening(evil)))
    assert page.count("<script") == 3
    assert "<!--" not in page
    assert page.count("</script>") == 3
    assert parts(page)[0]["title"] == evil


def test_a_search_without_steps_has_no_page(result: Result) -> None:
    without = replace(result, trace=None)
    with pytest.raises(OptionError, match="none that was recorded"):
        Content.of(Scene.of_result(without), without, Opening())


def test_a_network_too_large_is_refused_before_anything_is_coded(
    result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "MOST_NODES", 100)
    with pytest.raises(OptionError, match="100 nodes at most, and there are 109"):
        content_of(result)


def test_ids_that_browsers_cannot_add_up_are_refused(result: Result) -> None:
    ids = result.network.node_ids.copy()
    ids[3] = contents.LARGEST_ID + 1
    with pytest.raises(OptionError, match="some here are larger"):
        content_of(replace(result, network=replace(result.network, node_ids=ids, _derived={})))


def test_bytes_of_a_file_name_are_in_the_title(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "search.html"
    named = replace(result, network=replace(result.network, name="M\udcfcnchen"))
    size = document.write_content(Content.of(scene_of(named), named, Opening()), path)
    assert path.stat().st_size == size
    assert parts(path.read_text("utf-8"))[0]["title"] == "M\udcfcnchen"


def test_all_texts_of_the_page_are_translated(result: Result) -> None:
    said: set[str] = set()
    for path in (WEB / "src").glob("*.ts"):
        text = path.read_text("utf-8")
        said.update(re.findall(r'\bsay\(\s*"((?:[^"\\]|\\.)*)"', text))
        if path.name == "controls.ts":
            said.update(re.findall(r'^ {6}\["[^"]*", "([^"]*)"\],$', text, re.MULTILINE))
    assert len(said) > 20
    assert said <= words().keys()
    use_language("ja")
    japanese = words()
    assert japanese["Node {id}"] == "ノード {id}"
    assert content_of(result).heading["language"] == "ja"
    assert "<noscript>このページの" in document.page_of(content_of(result))
    same = {text for text, translation in japanese.items() if text == translation}
    assert same <= {"{step} of {count}"} | {text for text in same if not re.search("[A-Za-z]{3}", text)}


# ----------------------------------------------------------------------------------------------------- the command line


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return command(capsys)


def test_render_writes_a_page(run: Command, grid_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "search.html"
    done = run("render", str(grid_file), "--source", "130", "--step", "3", "--walk", "distance", "-o", str(path))
    assert done.code == 0, done.err
    heading, _ = parts(path.read_text("utf-8"))
    assert (heading["moment"], heading["walk"], heading["nodes"]) == ("4", "distance", 109)
    assert f"page written to {path}" in done.err + done.out


def test_a_small_graph_says_that_its_source_stays(run: Command, tmp_path: Path) -> None:
    path = tmp_path / "graph.html"
    done = run("render", "example:paper-e", "--live", "-d", "cpu", "-o", str(path))
    assert done.code == 0, done.err
    assert "--live was left out: only the source of a map can be dragged" in done.err
    assert "cells" not in parts(path.read_text("utf-8"))[0]


@pytest.mark.parametrize(
    ("given_options", "why"),
    [
        (("--size", "100x100"), "a page fits its window"),
        (("--poster", "gallery"), "a page fits its window"),
        (("--step", "1", "--tree"), "one of --step, --at and --tree"),
        (("--step", "999"), "this search has the steps"),
    ],
)
def test_what_has_no_effect_on_a_page_is_refused(
    run: Command, grid_file: Path, tmp_path: Path, given_options: tuple[str, ...], why: str
) -> None:
    path = tmp_path / "search.html"
    done = run("render", str(grid_file), "--source", "130", "-o", str(path), *given_options)
    assert done.code == 2
    assert why in done.err
    assert not path.exists()


def test_a_copy_without_what_pages_bring_says_how_to_build_it(
    run: Command, grid_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(document, "asset", _absent)
    with pytest.raises(MissingPackageError, match="make page"):
        document.bundle()
    done = run("render", str(grid_file), "--source", "130", "-o", str(tmp_path / "a.html"))
    assert (done.code, list(tmp_path.glob("*.html"))) == (1, [])
    assert "make page" in done.err


def sections_of(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return heading and sections of a page."""
    heading, packed = parts(path.read_text("utf-8"))
    data, sections, at = zlib.decompress(packed), {}, 0
    for name, size in heading["sections"]:
        sections[name] = data[at : at + size]
        at += size
    return heading, sections


def test_a_race_holds_its_roads_once(run: Command, grid_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "race.html"
    names = "dijkstra,dijkstra-heap"
    done = run("race", str(grid_file), "--source", "130", "--algorithms", names, "--runs", "1", "-o", str(path))
    assert done.code == 0, done.err
    heading, sections = sections_of(path)
    (other,) = heading["searches"]
    assert (heading["shows"], other["roads"], heading["walk"]) == ("race", 0, "time")
    assert [lane[0] for lane in (heading["lane"], other["lane"])] == ["Dijkstra, bucket queue", "Dijkstra, binary heap"]
    assert {"x", "y", "1 first", "1 when", "1 code"} <= sections.keys()
    assert not {"1 x", "1 y", "1 ahead", "1 way", "1 distance", "1 ids"} & sections.keys(), (
        "what they share is there once"
    )


def test_flows_are_written_as_they_are(run: Command, grid_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "flows.html"
    done = run("flows", str(grid_file), "-o", str(path))
    assert done.code == 0, done.err
    heading, sections = sections_of(path)
    flows = wayfront.flows(wayfront.open_network(grid_file), device="cpu")
    assert heading["flows"] == {"trips": float(flows.trips), "unit": 1.0, "changes": False}
    carried = numbers(sections["flow"])
    assert sum(carried) == flows.arc_flow.sum()
    assert [level > 0 for level in sections["flow level"]] == [trips > 0 for trips in carried]
    assert sections["flow level"][int(np.argmax(carried))] == 255


def test_changes_by_closed_roads_are_in_the_page(result: Result) -> None:
    network, closed = result.network, np.array([3])
    before, after = (
        FlowsFound.of(Asked("all", None), wayfront.flows(network, ties="all", closures=arcs, device="cpu"), arcs)
        for arcs in (np.zeros(0, np.int64), closed)
    )
    scene = scene_of(result)
    content = flows_content(scene, after.compared(before), Opening("Closed"))
    unit = content.heading["flows"]["unit"]
    change = unit * np.array(with_signs(numbers(content.sections["flow change"])))
    assert content.heading["flows"]["changes"]
    assert content.heading["closed"] == 1
    assert np.sort(change) == pytest.approx(np.sort(after.on_roads - before.on_roads), abs=2 * unit)
    assert 0 < np.count_nonzero(np.frombuffer(content.sections["flow row"], np.uint8) < 128) < len(change)


@pytest.mark.usefixtures("qapp")
def test_a_lesson_is_written_with_all_that_it_asks(run: Command, tmp_path: Path) -> None:
    lesson, path = tmp_path / "played.toml", tmp_path / "lesson.html"
    lesson.write_text(PLAYED, "utf-8")
    done = run("lesson", str(lesson), "-o", str(path))
    assert done.code == 0, done.err
    text = path.read_text("utf-8")
    assert "<title>Played in a browser</title>" in text
    heading, _ = parts(text)
    moments = heading["lesson"]["moments"]
    assert [moment["searches"] for moment in moments] == [[0], [0], [1, 2], [3], [4], []]
    assert [other["roads"] for other in heading["searches"]] == [0, 0, 3, 3]
    assert moments[0]["text"] == [
        ["p", "Node ", ["b", "C"], " is ", ["i", "settled"], ": ", *moments[0]["text"][0][6:]]
    ]
    assert (moments[0]["question"]["right"], moments[0]["code"]) == (1, True)
    assert moments[1]["predict"]["expected"] == [1]
    assert moments[5]["picture"].startswith("data:image/png;base64,")
    assert "<b>more" not in text, "a title is JSON that ends no element"


@pytest.mark.usefixtures("qapp")
def test_a_lesson_may_begin_with_what_streets_carry(run: Command, tmp_path: Path) -> None:
    lesson, path = tmp_path / "rivers.toml", tmp_path / "rivers.html"
    lesson.write_text(BEGINS_WITH_FLOWS, "utf-8")
    done = run("lesson", str(lesson), "-o", str(path))
    assert done.code == 0, done.err
    heading, _ = parts(path.read_text("utf-8"))
    names = [name for name, _ in heading["sections"]]
    assert [moment["searches"] for moment in heading["lesson"]["moments"]] == [[1], [2]]
    assert "flows" not in heading
    carried, tree = heading["searches"]
    assert "flows" in carried
    assert "flows" not in tree
    # A search beside them has the colours of distances.
    assert "themes" in carried
    assert "themes" not in tree
    assert "1 table dark" in names
    assert "2 table dark" not in names


def _absent(name: str) -> Path:
    raise FileNotFoundError(2, "not there", name)


# --------------------------------------------------------------------------------------- what trees are made of


def weights_of(content: Content) -> list[tuple[int, int, int]]:
    """Return (tail, head, weight) of the least arc along and against every edge."""
    heading, sections, read = content.heading, content.sections, Read(content)
    nodes = [summed(with_signs(numbers(sections[axis]))) for axis in ("x", "y")]
    bends = numbers(sections["bends"]) if "bends" in sections else [0] * len(read.low)
    moves = [iter(with_signs(numbers(sections.get(f"bend {axis}", b"")))) for axis in ("x", "y")]
    kinds = sections.get("kind", bytes(len(read.low)))
    found = []
    for edge, (low, high) in enumerate(zip(read.low, read.high, strict=True)):
        rest = [axis[high] - axis[low] for axis in nodes]
        length = 0
        for _ in range(bends[edge]):
            move = [next(axis) for axis in moves]
            length += math.isqrt(256 * (move[0] ** 2 + move[1] ** 2))
            rest = [rest[0] - move[0], rest[1] - move[1]]
        length += math.isqrt(256 * (rest[0] ** 2 + rest[1] ** 2))
        expected = math.floor(length * heading["pace"][kinds[edge]] + 0.5)
        found.append((low, high, expected))
    out = []
    along, against = numbers(sections["along"]), numbers(sections["against"])
    for (low, high, expected), ahead, back in zip(found, along, against, strict=True):
        weight = expected + (with_signs([ahead - 1])[0] if ahead else 0)
        if ahead:
            out.append((low, high, weight))
        if back:
            out.append((high, low, weight + with_signs([back - 1])[0]))
    return out


def least_arcs(network: RoadNetwork, closed: list[int], *, reverse: bool) -> dict[tuple[int, int], int]:
    weights: dict[tuple[int, int], int] = {}
    rows = zip(network.tails().tolist(), network.targets.tolist(), network.metric().weights.tolist(), strict=True)
    for arc, (tail, head, weight) in enumerate(rows):
        if tail != head and arc not in closed:
            ends = (head, tail) if reverse else (tail, head)
            weights[ends] = min(weight, weights.get(ends, weight))
    return weights


@settings(max_examples=25, deadline=None)
@given(random_networks, st.data())
def test_what_trees_are_made_of_is_read_back(network: RoadNetwork, data: st.DataObject) -> None:
    """With parallel arcs, loops, closed roads, and against the arcs."""
    source, reverse = data.draw(st.integers(0, network.node_count - 1)), data.draw(st.booleans())
    closed = sorted(data.draw(st.sets(st.integers(0, network.arc_count - 1)))) if network.arc_count else []
    result = wayfront.search(network, source, "dijkstra", "cpu", trace=True, closures=closed, reverse=reverse)
    content = content_of(result, Opening(live=True))
    found = weights_of(content)
    assert {(tail, head): weight for tail, head, weight in found} == least_arcs(network, closed, reverse=reverse)
    cut = dissection_of(network)
    assert cut is not None
    children = list(content.sections["cut children"])
    assert children == np.bincount(cut.parent[1:], minlength=cut.cell_count).tolist()
    cells = np.array(summed(with_signs(numbers(content.sections["cut cell"]))))
    assert (cells[cut.node_at] == cut.cell_of).all()


def test_roads_with_bends_weigh_what_they_do() -> None:
    town = named_town()
    arcs = [(1, 0), (0, 1), (0, 1), (1, 1)]
    points = [[900, 400], [100, 300], [100, 300], [900, 400], [500, -700], [1500, 100], [1500, -100]]
    shapes = Shapes(np.array([0, 2, 4, 5, 7]), np.array(points, np.int32))
    metric = Metric("length", "m", 1.0, np.array([9, 2, 8, 1], np.int32))
    bent = replace(drawn(arcs, [(0, 0), (1000, 0)], shapes), metrics=(metric,))
    result = wayfront.search(bent, 0, "dijkstra", "cpu", trace=True)
    assert sorted(weights_of(content_of(result, Opening(live=True)))) == [(0, 1, 2), (0, 1, 9), (1, 0, 8)]
    content = content_of(wayfront.search(town, 0, "dijkstra", "cpu", trace=True), Opening(live=True))
    assert {(a, b): w for a, b, w in weights_of(content)} == least_arcs(town, [], reverse=False)


def test_only_a_page_whose_source_moves_may_start_a_worker(result: Result) -> None:
    still, moving = (document.page_of(content_of(result, Opening(live=moves))) for moves in (False, True))
    assert "worker-src" not in still
    assert "worker-src blob:;" in moving
    assert "unsafe" not in moving


def test_trees_too_large_for_a_browser_are_refused(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_BYTES", 100)
    with pytest.raises(OptionError, match="write it without --live"):
        content_of(result, Opening(live=True))
