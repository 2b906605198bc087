"""Rules of the road, one case each: ``road_cases.toml`` says what they are."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from repository import REPOSITORY
from wayfront import OsmOptions
from wayfront.formats.osm.ferries import FERRY_KMH, Ferries
from wayfront.formats.osm.rules import SPEEDS
from wayfront.network.copies import begin_of, turn_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError, OptionError

CASES: dict[str, list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_name("road_cases.toml").read_text("utf-8"))
TYPES = ("drive", "drive-public", "bike", "walk")
STEP = 0.00045
"""Degrees of latitude in 50 m."""


def test_there_are_enough_and_each_names_its_rule() -> None:
    rules = [case["rule"] for cases in CASES.values() for case in cases]
    assert len(set(rules)) == len(rules) >= 150


def figure(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def test_the_page_has_the_tables_of_the_code() -> None:
    page = (REPOSITORY / "docs" / "road-model.md").read_text("utf-8")
    kinds = ("urban", "rural", "trunk", "motorway", "living_street")
    for code, limits in SPEEDS["country"].items():
        row = [code.upper(), *(figure(limits[kind]) if kind in limits else "–" for kind in kinds)]
        assert f"| {' | '.join(row)} |\n" in page
    for table in ("highway", "surface", "tracktype"):
        assert ", ".join(f"{name} {figure(speed)}" for name, speed in SPEEDS[table].items()) in page
    slowest, fastest, usual = (figure(SPEEDS["ferry"][name]) for name in ("slowest", "fastest", "usual"))
    assert f"slower than {slowest} or faster than {fastest} km/h" in page
    assert f"takes {usual} km/h" in page


def test_a_country_that_is_not_known(tmp_path: Path) -> None:
    case = {"map": ["a b"], "ways": ["ab"], "country": "xx"}
    with pytest.raises(OptionError, match="no limits are known of the country 'xx'"):
        opened(tmp_path, case)
    with pytest.raises(OptionError, match="two letters"):
        OsmOptions(country="germany")
    with pytest.raises(OptionError, match="two letters"):
        OsmOptions(country=49)  # type: ignore[arg-type]  # which is what is wrong
    options = OsmOptions("drive", country="DE", turns="on")
    assert OsmOptions.described(options.describe()) == options


def tags_of(words: list[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def written(folder: Path, case: dict[str, Any]) -> Path:
    """Write the map of a case as an Overpass answer."""
    places = {
        letter: (column, row)
        for row, line in enumerate(case["map"])
        for column, letter in enumerate(line)
        if letter.strip()
    }
    stops = {line.split()[0]: tags_of(line.split()[1:]) for line in case.get("stops", [])}
    elements: list[dict[str, Any]] = [
        {
            "type": "node",
            "id": ord(letter),
            "lon": 8 + x * STEP / 1.28,
            "lat": 50 - y * STEP,
            "tags": stops.get(letter, {}),
        }
        for letter, (x, y) in places.items()
    ]
    number: dict[str, int] = {}
    for line in case["ways"]:
        letters, *words = line.split()
        number[letters] = 1000 + len(number)
        given = tags_of(words)
        nodes = [ord(letter) for letter in letters]
        tags = given if "route" in given else {"highway": "residential", **given}
        elements.append({"type": "way", "id": number[letters], "nodes": nodes, "tags": tags})
    for line in case.get("turns", []):
        kind, *words = line.split() if line[0] != "-" else ["", *line.split()[1:]]
        named = [word for word in words if "=" not in word]
        origins, via, ends = named
        members = [{"type": "way", "ref": number[each], "role": "from"} for each in origins.split(",")]
        members += [{"type": "way", "ref": number[each], "role": "to"} for each in ends.split(",")]
        ways = [] if len(via) == 1 else [{"type": "way", "ref": number[each], "role": "via"} for each in via.split("+")]
        members += ways or [{"type": "node", "ref": ord(via), "role": "via"}]
        tags = {"type": "restriction", **({"restriction": kind} if kind else {})}
        tags |= tags_of([word for word in words if "=" in word])
        elements.append({"type": "relation", "id": 5000 + len(elements), "tags": tags, "members": members})
    for line in case.get("lines", []):
        named, *words = line.split()
        members = [{"type": "way", "ref": number[each], "role": ""} for each in named.split(",")]
        tags = {"type": "route", "route": "ferry", **tags_of(words)}
        elements.append({"type": "relation", "id": 5000 + len(elements), "tags": tags, "members": members})
    for line in case.get("areas", []):
        tags = {"type": "boundary", **tags_of(line.split())}
        elements.append({"type": "relation", "id": 5000 + len(elements), "tags": tags, "members": []})
    path = folder / "case.json"
    path.write_text(json.dumps({"version": 0.6, "elements": elements}))
    return path


def opened(folder: Path, case: dict[str, Any], network_type: str = "") -> RoadNetwork | None:
    """Return the network of a case, None where it has no roads."""
    kind, obey = network_type or case.get("type", "drive"), "on" if case.get("obey") else ""
    options = OsmOptions(kind, turns=obey, country=case.get("country", ""), turn_costs=case.get("costs", ""))
    try:
        return wayfront.open_network(written(folder, case), osm=options, cache=False)
    except FormatError as problem:
        assert "no " in str(problem)
        return None


@pytest.mark.parametrize("case", CASES["case"], ids=[case["rule"] for case in CASES["case"]])
def test_routes(case: dict[str, Any], tmp_path: Path) -> None:
    network = opened(tmp_path, case)
    assert network is not None
    for line in case["routes"]:
        ends, _, expected = line.partition(": ")
        begin, end = ends.split(" > ")
        found = ""
        if ord(end) in network.node_ids and ord(begin) in network.node_ids:
            result = wayfront.search(network, network.node(ord(begin)), "dijkstra", "cpu", verify=True)
            found = " ".join(map(chr, result.route(network.node(ord(end))).ids.tolist()))
        assert (found or "none") == expected, line


def ways_taken(network: RoadNetwork | None) -> str:
    """Return the directions in which the way from a to b is an arc."""
    if network is None:
        return "none"
    heads = begin_of(network, network.targets)[~turn_arcs(network)]
    ids = set(network.node_ids[heads].tolist())
    return "".join(("<" if ord("a") in ids else "", ">" if ord("b") in ids else "")) or "none"


@pytest.mark.parametrize("case", CASES["way"], ids=[case["rule"] for case in CASES["way"]])
def test_ways(case: dict[str, Any], tmp_path: Path) -> None:
    whole = {"map": ["a b"], "ways": [f"ab {case['tags']}"], "country": case.get("country", "")}
    for network_type in TYPES:
        if network_type in case:
            assert ways_taken(opened(tmp_path, whole, network_type)) == case[network_type], network_type
    if "speed" in case:
        network = opened(tmp_path, whole, "drive")
        assert network is not None
        metres, seconds = (network.metric(name) for name in ("length", "travel time"))
        speed = metres.in_unit(metres.weights)[0] / seconds.in_unit(seconds.weights)[0] * 3.6
        assert speed == pytest.approx(case["speed"], rel=2e-3)


def test_a_ferry_without_length_and_duration_has_the_usual_speed() -> None:
    ferries = Ferries()
    ferries.add(0, {"route": "ferry"})
    ways, speeds, assumed = ferries.speeds(np.array([7]), np.zeros(1), np.array([True]))  # the file lacks its nodes
    assert (ways.tolist(), speeds.tolist(), assumed.tolist()) == ([0], [FERRY_KMH], [True])


@pytest.mark.parametrize("case", CASES["ferry"], ids=[case["rule"] for case in CASES["ferry"]])
def test_ferries(case: dict[str, Any], tmp_path: Path) -> None:
    """Pier, ferry, pier: the ferry crosses from b to c, 126 m, or in two ways by x where a line says so."""
    crossing = [f"bc {case['tags']}"] if "lines" not in case else [f"bx {case['tags']}", f"xc {case['tags']}"]
    whole = {"map": ["a b x  c d"], "ways": ["ab", "cd", *(f"{way} route=ferry" for way in crossing)]}
    whole["lines"] = case.get("lines", [])
    for network_type in TYPES:
        network = opened(tmp_path, whole, network_type)
        assert network is not None
        if network_type in case:
            way = wayfront.search(network, network.node(97), "dijkstra", "cpu")
            there = ord("d") in network.node_ids and len(way.route(network.node(100))) > 0
            assert there == case[network_type], network_type
    if "seconds" in case:
        network = opened(tmp_path, whole)
        assert network is not None
        found = wayfront.search(network, network.node(98), "dijkstra", "cpu", metric="travel time")
        assert found.distances[network.node(99)] == pytest.approx(case["seconds"] * 1000, abs=60)
        usable = not any("without a duration" in note for note in network.notes)
        assert usable == case.get("usable", True)
        assert any(note.startswith("ferries: ") for note in network.notes)


@pytest.mark.parametrize("case", CASES["cost"], ids=[case["rule"] for case in CASES["cost"]])
def test_costs_of_turns(case: dict[str, Any], tmp_path: Path) -> None:
    """How many seconds routes take more than without costs of turns."""
    free, costly = opened(tmp_path, {**case, "costs": ""}), opened(tmp_path, case)
    assert free is not None
    assert costly is not None
    for line in case["seconds"]:
        ends, _, expected = line.partition(": ")
        begin, end = (ord(letter) for letter in ends.split(" > "))
        both = [
            wayfront.search(network, network.node(begin), "dijkstra", "cpu", metric="travel time", verify=True)
            .route(network.node(end))
            .distance
            for network in (free, costly)
        ]
        assert both[1] - both[0] == pytest.approx(1000 * float(expected), abs=2), line


@pytest.mark.parametrize("case", CASES["country"], ids=[case["rule"] for case in CASES["country"]])
def test_countries(case: dict[str, Any], tmp_path: Path) -> None:
    """The road from a to b is where others, or the option, say."""
    others = [f"{chr(99 + index)}{chr(100 + index)} {tags}" for index, tags in enumerate(case.get("others", []))]
    whole = {"map": ["a b c d e f g h"], "ways": [f"ab {case['tags']}", *others], "country": case.get("option", "")}
    network = opened(tmp_path, {**whole, "stops": case.get("stops", []), "areas": case.get("areas", [])})
    assert network is not None
    metres, seconds = (network.metric(name) for name in ("length", "travel time"))
    arc = wayfront.arcs_between(network, [network.node(97)], [network.node(98)])[0]
    speed = metres.in_unit(metres.weights)[arc] / seconds.in_unit(seconds.weights)[arc] * 3.6
    assert speed == pytest.approx(case["speed"], rel=2e-3)


@pytest.mark.parametrize("case", CASES["barrier"], ids=[case["rule"] for case in CASES["barrier"]])
def test_barriers(case: dict[str, Any], tmp_path: Path) -> None:
    whole = {"map": ["a b c"], "ways": ["abc"], "stops": [f"b {case['tags']}"]}
    for network_type in TYPES[:2]:
        network = opened(tmp_path, whole, network_type)
        assert network is not None
        if network_type not in case:
            continue
        a, b, c = (network.node(ord(letter)) for letter in "abc")
        for begin, end in ((a, c), (c, a)):
            result = wayfront.search(network, begin, "dijkstra", "cpu")
            assert bool(len(result.route(end))) == case[network_type]
            assert len(result.route(b)) == 2, "one may drive up to it"
        from_there = wayfront.search(network, b, "dijkstra", "cpu")
        assert [len(from_there.route(end)) for end in (a, c)] == [2, 2], "and start there"
        assert any(note.startswith("barriers") for note in network.notes) == (not case[network_type])
        assert np.unique(network.node_ids).tolist() == [97, 98, 99]
    assert opened(tmp_path, whole, "bike") is not None


def test_countries_of_extracts(tmp_path: Path) -> None:
    """Files of OpenStreetMap's own formats say it as answers of Overpass do, by nodes, ways and boundaries."""
    nodes = '<node id="1" lat="50" lon="8"/><node id="2" lat="50.001" lon="8"/>'
    named = '<node id="3" lat="50" lon="8"><tag k="is_in:country_code" v="DE"/></node>'
    road = '<way id="5"><nd ref="1"/><nd ref="2"/><tag k="highway" v="living_street"/></way>'
    houses = "".join(
        f'<way id="{number}"><nd ref="1"/><nd ref="2"/><tag k="addr:country" v="DE"/></way>' for number in (6, 7)
    )
    tags = {"type": "boundary", "boundary": "administrative", "admin_level": "2", "ISO3166-1": "FR"}
    border = "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
    notes: list[str] = []
    for name, inside in (
        ("de", nodes + named + road + houses),
        ("fr", f'{nodes}{road}<relation id="9">{border}</relation>'),
    ):
        path = tmp_path / f"{name}.osm"
        path.write_text(f'<?xml version="1.0"?><osm version="0.6">{inside}</osm>')
        notes += wayfront.open_network(path, cache=False).notes
    usual = "roads without a limit are assumed to have the usual ones of"
    assert f"{usual} DE, which 3 addresses and places name" in notes
    assert f"{usual} FR, whose boundary is in the file" in notes
