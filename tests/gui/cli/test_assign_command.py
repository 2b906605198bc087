"""``wayfront assign``: what it prints and writes is what the library finds, of TNTP files and of tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import sioux_falls
import wayfront as library
from calling import Command
from wayfront_gui.cli.running import MISUSED, REFUSED, STOPPED


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> sioux_falls.Files:
    return sioux_falls.write(tmp_path_factory.mktemp("town"))


def test_tntp_files_are_assigned_as_by_the_library(wayfront: Command, town: sioux_falls.Files, tmp_path: Path) -> None:
    read = library.read_tntp(town.net, town.trips, distance_factor=0.5)
    expected = library.assign(read.network, read.demand, read.roads, gap=1e-3, method="conjugate", device="cpu")
    given = (town.net, "--trips", town.trips, "--gap", 1e-3, "--method", "conjugate", "-d", "cpu")
    path = tmp_path / "flows.csv"
    outcome = wayfront("assign", *given, "--distance-factor", 0.5, "--verify", "-o", path, "--json")
    assert outcome.record["gaps"] == [each.relative_gap for each in expected.iterations]
    assert (outcome.record["converged"], outcome.record["verified"], outcome.record["trips"]) == (True, True, 360_600.0)
    assert pandas.read_csv(path)["flow"].tolist() == expected.flow.tolist()
    shown = wayfront("assign", *given)
    assert "Traffic on SiouxFalls" in shown.out and " iterations, conjugate" in shown.out and shown.err == ""
    early = wayfront("assign", town.net, "--trips", town.trips, "--iterations", 2, "-d", "cpu")
    assert "after 2 iterations, above the 0.0001 that was asked for: the flows are no equilibrium yet" in early.err


def test_other_networks_say_their_capacities(wayfront: Command, tmp_path: Path) -> None:
    roads, trips = tmp_path / "town.csv", tmp_path / "trips.csv"
    roads.write_text("tail,head,travel time [min],capacity\n1,2,10,100\n1,2,15,300\n")
    trips.write_text("origin,destination,trips\n1,2,400\n")
    given = (roads, "--trips", trips, "--capacity", "capacity", "--gap", 1e-9, "-d", "cpu")
    path = tmp_path / "flows.csv"
    wayfront("assign", *given, "-o", path)
    assert pandas.read_csv(path)["cost"].round(6).tolist() == [16.217709, 16.217709]
    wayfront("assign", *given, "--b", 0, "--power", 1, "-o", path)
    assert pandas.read_csv(path)["flow"].tolist() == [400, 0]
    wayfront("assign", *given[:3], "--capacity", "1e9", "-d", "cpu", "-o", path)
    assert pandas.read_csv(path)["flow"].tolist() == [400, 0]


def test_ctrl_c_keeps_the_flows_so_far(
    wayfront: Command, town: sioux_falls.Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = library.assign

    def interrupted(*arguments: Any, **options: Any) -> Any:
        options["progress"] = lambda what, _: options["cancel"].set() if what.startswith("iteration 2:") else None
        return whole(*arguments, **options)

    monkeypatch.setattr(library, "assign", interrupted)
    path = tmp_path / "flows.csv"
    outcome = wayfront("assign", town.net, "--trips", town.trips, "--gap", 1e-9, "--verify", "-d", "cpu", "-o", path)
    assert (outcome.code, len(pandas.read_csv(path))) == (STOPPED, 76)
    assert "cancelled: the relative gap is " in outcome.err


def test_trips_between_places(wayfront: Command, tmp_path: Path) -> None:
    places, trips, path = tmp_path / "places.csv", tmp_path / "trips.csv", tmp_path / "flows.csv"
    name = "synthetic:grid?columns=4&rows=3"
    network = library.open_network(name)
    assert network.coordinates is not None
    rows = [f"{name},{lon},{lat}" for name, (lon, lat) in zip("ab", network.coordinates[[0, 11]] / 1e6, strict=True)]
    places.write_text("\n".join(["id,lon,lat", *rows, "far,0,80"]))
    trips.write_text("from,to,trips\na,b,60\nb,far,5\n")
    given = (name, "--trips", trips, "--places", places, "--capacity", 100, "-d", "cpu", "-o", path, "--json")
    outcome = wayfront("assign", *given)
    assert outcome.record["trips"] == 60
    assert "5 trips are left out: an end is on no road near enough" in outcome.err


def test_mistakes_are_explained(wayfront: Command, town: sioux_falls.Files, tmp_path: Path) -> None:
    trips = tmp_path / "trips.csv"
    trips.write_text("origin,destination,trips\n1,2,400\n1,99,5\n")
    grid = "synthetic:grid?columns=4&rows=3"
    factor = "has no effect here: it is for TNTP files"
    for given, code, problem in (
        ((town.net, "--trips", trips), REFUSED, "trips.csv:3: SiouxFalls has no node '99'"),
        ((town.net, "--trips", tmp_path / "none.tntp"), REFUSED, "none.tntp: there is no such file"),
        ((town.net, "--trips", town.net), REFUSED, "SiouxFalls_net.tntp:8: trips begin with a line such as"),
        ((town.net, "--trips", town.trips, "--power", 2), MISUSED, "--power has no effect here: a TNTP file says that"),
        ((town.net, "--trips", town.trips, "--places", trips), MISUSED, "--places has no effect here: a TNTP file"),
        ((town.net, "--trips", trips, "--method", "newton"), MISUSED, "'newton' is not one of biconjugate, "),
        ((grid, "--trips", trips), MISUSED, "--capacity names the metric that says it, or one number for all"),
        ((grid, "--trips", trips, "--toll-factor", 1), MISUSED, f"--toll-factor {factor}"),
        ((grid, "--trips", trips, "--distance-factor", 1), MISUSED, f"--distance-factor {factor}"),
        ((grid, "--trips", trips, "--capacity", "lanes"), MISUSED, "has no metric 'lanes'"),
    ):
        outcome = wayfront("assign", *given)
        assert (outcome.code, problem in outcome.err) == (code, True), outcome.err
