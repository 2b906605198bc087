"""wayfront access: the library's numbers of every node, from tables of points and from nodes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest
from PySide6.QtGui import QImage

import wayfront as library
from calling import Command
from named_town import named_town
from wayfront.formats.native.codec import save_network
from wayfront_gui.cli.running import DONE, MISUSED, REFUSED

GRID = "synthetic:grid?columns=8&rows=7&seed=3"


@pytest.fixture
def town(tmp_path: Path) -> str:
    path = tmp_path / "town.wayfront"
    save_network(named_town(), path)
    return str(path)


@pytest.fixture
def shops(tmp_path: Path) -> str:
    coordinates = named_town().coordinates
    assert coordinates is not None
    path, (x, y) = tmp_path / "shops.csv", (coordinates[[3, 30, 50]] / 1e6).T
    pandas.DataFrame({"id": ["a", "b", "c"], "lon": x, "lat": y, "weight": [2, 3, 1]}).to_csv(path, index=False)
    return str(path)


def test_a_table_of_points_gives_what_the_library_gives(
    wayfront: Command, town: str, shops: str, tmp_path: Path
) -> None:
    network, path = library.open_network(town), tmp_path / "access.csv"
    outcome = wayfront(
        *("access", town, "--places", shops, "--within", "500m,1km", "--nearest", "1,2", "--mean"),
        *("--decay", "power:300m:2", "--quantiles", "0.5", "--up-to", "1.2km", "-d", "cpu", "-o", str(path)),
    )
    assert outcome.code == DONE, outcome.err
    assert "Access to 3 points" in outcome.out and "within_500" in outcome.out
    expected = library.access(
        network,
        library.Places.read(shops).on(network),
        within=[500, 1000],
        nearest=[1, 2],
        mean=True,
        quantiles=0.5,
        limit=1200,
        decay="power:300:2",
        device="cpu",
    )
    assert int(expected["within_1000"].max()) == 6, "weights are those of the table"
    read = pandas.read_csv(path).set_index("node").loc[network.node_ids]
    for name in expected:
        known = np.where(np.isfinite(expected[name]), expected[name], np.nan)
        assert np.allclose(read[name], known, equal_nan=True, atol=1e-6), name


def test_nodes_closed_roads_and_the_other_direction(wayfront: Command) -> None:
    network = library.open_network(GRID)
    ids = network.node_ids
    asked = ("access", GRID, "--at", str(ids[3]), "--at", str(ids[30]), "--nearest", "2", "-d", "cpu", "--json")
    one, other = (int(ids[node]) for node in (3, network.targets[network.offsets[3]]))
    record = wayfront(*asked, "--reverse", "--close", f"{one}-{other}").record
    closed = library.arcs_between(network, [3], [network.targets[network.offsets[3]]])
    expected = library.access(network, [3, 30], nearest=2, device="cpu", reverse=True, closures=closed)["nearest_2"]
    assert record["reverse"] and record["points"] == 2
    figures, known = record["measures"]["nearest_2"], expected[np.isfinite(expected)]
    assert (figures["nodes"], figures["largest"]) == (len(known), float(known.max()))


@pytest.mark.usefixtures("qapp")
def test_a_map_shows_the_first_measure(wayfront: Command, town: str, shops: str, tmp_path: Path) -> None:
    def drawn(name: str, *asked: str) -> QImage:
        path = tmp_path / name
        outcome = wayfront("access", town, "--places", shops, "-d", "cpu", *asked, "-o", str(path))
        assert outcome.code == DONE, outcome.err
        return QImage(str(path))

    def differ(one: QImage, other: QImage) -> bool:
        assert (one.width(), one.height()) == (other.width(), other.height()) == (1600, 1000)
        both = [np.frombuffer(image.constBits(), np.uint8).astype(np.int64) for image in (one, other)]
        return bool((np.abs(both[0] - both[1]) > 40).any())  # rims of texts are not alike to the last bit

    picture = drawn("map.png", "--within", "300m,2km")
    assert not differ(picture, drawn("same.png", "--within", "300m"))
    wide, near = drawn("wide.png", "--within", "2km"), drawn("near.png", "--nearest", "2")
    decayed = drawn("decayed.png", "--decay", "power:300m:2")
    light = drawn("light.png", "--within", "300m", "--theme", "light")
    assert all(differ(picture, other) for other in (wide, near, decayed, light)) and differ(wide, near)
    drawn("map.svg", "--nearest", "1")
    assert "distance to the nearest point" in (tmp_path / "map.svg").read_text()


def test_what_is_wrong_is_refused_before_anything_is_opened(wayfront: Command, shops: str) -> None:
    for asked, words in (
        (("--within", "5"), "access needs points"),
        (("--at", "1"), "nothing is asked for"),
        (("--at", "1", "--within", "far"), "--within takes limits above 0"),
        (("--at", "1", "--within", "5min,2km"), "all times or all lengths"),
        (("--at", "1", "--nearest", "x"), "--nearest takes numbers"),
        (("--at", "1", "--quantiles", "2"), "fractions above 0"),
        (("--at", "1", "--decay", "linear:5"), "exponential, gaussian, power"),
        (("--at", "1", "--decay", "power"), "--decay takes limits"),
        (("--at", "1", "--places", shops, "--mean"), "no node is one"),
        (("--places", "nowhere.csv", "--mean"), "nowhere.csv"),
        (("--at", "1", "--mean", "-o", "access.xlsx"), "unknown suffix"),
        (("--at", "1", "--mean", "-o", "map.png"), "a map shows --within, --decay or --nearest"),
        (("--at", "1", "--within", "5", "--theme", "light"), "no --output is a map"),
    ):
        outcome = wayfront("access", GRID, "-d", "cpu", *asked)
        assert outcome.code in (MISUSED, REFUSED) and words in outcome.err, (asked, outcome.err)
        assert outcome.err.count("\n") == 1
