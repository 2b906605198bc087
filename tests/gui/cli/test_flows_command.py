"""wayfront flows: the library's flows, from tables of trips and places, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import geopandas
import numpy as np
import pandas
import pytest

import wayfront as library
from calling import Command
from named_town import named_town
from wayfront.formats.native.codec import save_network
from wayfront_gui.cli.flows import _travelled
from wayfront_gui.cli.running import DONE, MISUSED, REFUSED

GRID = "synthetic:grid?columns=8&rows=7&seed=3"


@pytest.fixture
def town(tmp_path: Path) -> str:
    path = tmp_path / "town.wayfront"
    save_network(named_town(), path)
    return str(path)


def test_flows_are_printed_proved_and_written(wayfront: Command, town: str, tmp_path: Path) -> None:
    network = library.open_network(town)
    roads, nodes = tmp_path / "flows.gpkg", tmp_path / "nodes.csv"
    first, second = network.node_ids[network.tails()[0]], network.node_ids[network.targets[0]]
    outcome = wayfront(
        *("flows", town, "--radius", "1km", "--decay", "exponential:500m", "--ties", "all", "--figures", "--verify"),
        *("--close", f"{first}-{second}", "--sources", "20", "-o", str(roads), "--nodes", str(nodes)),
    )
    assert outcome.code == DONE, outcome.err
    assert "busiest road 1" in outcome.out
    assert "harmonic" in outcome.out
    expected = library.flows(
        network,
        sources=[i * network.node_count // 20 for i in range(20)],
        radius=1000.0,
        decay="exponential:500",
        ties="all",
        closures=library.arcs_between(network, [network.node(int(first))], [network.node(int(second))]),
        device="cpu",
    )
    assert geopandas.read_file(roads, layer="roads")["flow"].tolist() == expected.roads().flow.tolist()
    assert pandas.read_csv(nodes)["through"].tolist() == expected.through.tolist()


def test_the_trips_over_a_road_are_its_flow(wayfront: Command) -> None:
    network = library.open_network(GRID)
    arc = int(library.arcs_between(network, [network.node(22)], [network.node(23)])[0])
    outcome = wayfront("flows", GRID, "--over", "22-23", "--json")
    assert outcome.code == DONE, outcome.err
    assert json.loads(outcome.out)["trips"] == library.flows(network, device="cpu").arc_flow[arc] > 0


def test_trips_between_places_are_sent(wayfront: Command, town: str, tmp_path: Path) -> None:
    coordinates = named_town().coordinates
    assert coordinates is not None
    lon, lat = (coordinates[[3, 30, 50]] / 1e6).T
    pandas.DataFrame({"id": ["a", "b", "far"], "lon": [*lon[:2], 99.0], "lat": lat}).to_csv(
        tmp_path / "stops.csv", index=False
    )
    (tmp_path / "trips.csv").write_text("from,to,trips\na,b,3\nb,a,2\na,far,7\n")
    outcome = wayfront(
        *("flows", town, "--demand", str(tmp_path / "trips.csv"), "--places", str(tmp_path / "stops.csv"), "--json")
    )
    assert outcome.code == DONE, outcome.err
    found = json.loads(outcome.out)
    assert found["trips"] == 5.0
    assert "7 trips are left out" in outcome.err
    by_weight = wayfront("flows", town, "--places", str(tmp_path / "stops.csv"), "--json")
    assert json.loads(by_weight.out)["trips"] == 2.0


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--demand", "none.csv"], REFUSED, "none.csv"),
        (["--device", "gpu"], MISUSED, "gpu"),
        (["--radius", "far"], MISUSED, "--radius takes limits"),
        (["--radius", "2km"], MISUSED, "no length"),
        (["--decay", "linear:3"], MISUSED, "a decay is one of"),
        (["--ties", "some"], MISUSED, "one"),
        (["--close", "1"], MISUSED, "--close takes"),
        (["--over", "1"], MISUSED, "--over takes FROM-TO"),
        (["--over", "1-2,2-3"], MISUSED, "--over takes one road"),
        (["--over", "1-2", "--figures"], MISUSED, "no --figures"),
        (["--nodes", "-"], MISUSED, "--nodes takes a file"),
        (["-o", "flows.xyz"], MISUSED, ".xyz"),
        (["-o", "flows.geojson", "--crs", "EPSG:3857"], MISUSED, "degrees alone"),
        (["--crs", "EPSG:3857"], MISUSED, "name one with -o"),
        (["--sources", "many"], MISUSED, "--sources is"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(
    wayfront: Command, options: list[str], code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = wayfront("flows", GRID, *options)
    assert outcome.code == code, outcome.err
    assert words in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_sums_beyond_64_bits_are_added_up() -> None:
    found: Any = SimpleNamespace(
        arc_flow=np.full(4, 1 << 60), metric=SimpleNamespace(weights=np.full(4, 1 << 10, np.int32))
    )
    assert _travelled(found) == 2.0**72


def test_growth_of_flows_is_a_table_and_a_chart(wayfront: Command, tmp_path: Path) -> None:
    table, chart = tmp_path / "growth.md", tmp_path / "growth.svg"
    asked = ("benchmark", "flows", "synthetic:grid", "--ties", "one", "--alone", "--seconds", 0.01)
    outcome = wayfront(*asked, "--growth", "256-1024", "-o", table, "-o", chart)
    assert outcome.code == 0, outcome.err
    assert "How flows between all nodes grow with the network: Grid" in table.read_text("utf-8")
    assert table.read_text("utf-8").count("| wayfront, one path a pair | ") == 3 and chart.stat().st_size > 1000
    for growth, why in {"256": "such as 10000-1500000", "256-300": "three sizes", "x-9": "the fewest"}.items():
        refused = wayfront(*asked, "--growth", growth)
        assert refused.code != 0 and why in refused.err
    assert "name their kind" in wayfront(*asked[:2], table, "--growth", "256-1024").err
    assert "has no effect" in wayfront(*asked, "--growth", "256-1024", "--radius", "2km").err
    assert "with --growth" in wayfront(*asked, "-o", chart).err
