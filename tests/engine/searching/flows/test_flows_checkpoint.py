"""Cancelled flows go on where they were, and believe nothing that they find in a file."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import random_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError, SearchCancelled, WriteError
from wayfront.searching.flows import checkpoint
from wayfront.trace.container import ArrayArchive, write_arrays


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> RoadNetwork:
    monkeypatch.setattr(checkpoint, "FIRST_PART", 10)
    monkeypatch.setattr(checkpoint, "GROWTH", 1)
    return random_arcs(40, 150, 30, 2)


def stopped(network: RoadNetwork, path: Path, after: float, **asked: Any) -> None:
    """Begin flows, and cancel them when they are so far."""
    cancel = threading.Event()

    def report(_what: str, fraction: float) -> None:
        if fraction >= after:
            cancel.set()

    with pytest.raises(SearchCancelled):
        wayfront.flows(network, device="cpu", checkpoint=path, progress=report, cancel=cancel, **asked)


KINDS: list[dict[str, Any]] = [
    {},
    {"ties": "all", "figures": True, "decay": "exponential:20"},
    {"radius": 25.0, "figures": True, "closures": [3, 5]},
    {"pairs": True},
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: " ".join(kind) or "one")
def test_stopped_flows_go_on_and_find_the_same(network: RoadNetwork, tmp_path: Path, kind: dict[str, Any]) -> None:
    asked = dict(kind)
    if asked.pop("pairs", False):
        ends = np.random.default_rng(1).integers(0, 40, (2, 90))
        asked["demand"] = wayfront.Demand.between(network, *ends)
    whole = wayfront.flows(network, device="cpu", **asked)
    stopped(network, tmp_path, 0.6, **asked)
    (noted,) = tmp_path.iterdir()
    heard: list[float] = []
    found = wayfront.flows(
        network, device="cpu", checkpoint=tmp_path, progress=lambda _what, done: heard.append(done), **asked
    )
    assert not list(tmp_path.iterdir()), noted
    assert min(heard[1:]) > 0.5, "finished sources are not found again"
    assert heard == sorted(heard)
    for name in ("arc_flow", "through", "starts", "ends"):
        np.testing.assert_allclose(getattr(found, name), getattr(whole, name), rtol=1e-12, atol=1e-9)
    assert (found.trips, found.unreached) == pytest.approx((whole.trips, whole.unreached))
    assert found.distance == pytest.approx(whole.distance, rel=0 if not kind else 1e-12)
    assert found.figures.keys() == whole.figures.keys()
    for name, figure in whole.figures.items():
        np.testing.assert_allclose(found.figures[name], figure, rtol=1e-12)


def test_what_is_due_is_noted_before_anybody_stops(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "SAVE_EVERY_S", -1.0)
    path, seen = tmp_path / "town.wfflows", set[float]()

    def report(_what: str, fraction: float) -> None:
        if path.exists():
            seen.add(round(fraction, 2))

    wayfront.flows(network, device="cpu", checkpoint=path, progress=report)
    assert seen == {0.5, 0.75, 1.0}
    assert not path.exists()


def test_flows_of_another_call_are_refused(network: RoadNetwork, tmp_path: Path) -> None:
    path = tmp_path / "town.wfflows"
    stopped(network, path, 0.5)
    for asked in ({"ties": "all"}, {"radius": 9.0}, {"closures": [1]}, {"sources": [3, 4]}):
        with pytest.raises(FormatError, match="asked for in another way"):
            wayfront.flows(network, device="cpu", checkpoint=path, **asked)
    other_ids = RoadNetwork.from_arcs(  # which choose among paths
        name=network.name,
        node_count=network.node_count,
        tails=network.tails(),
        heads=network.targets,
        metrics=network.metrics,
        node_ids=network.node_ids[::-1].copy(),
    )
    with pytest.raises(FormatError, match="asked for in another way"):
        wayfront.flows(other_ids, device="cpu", checkpoint=path)
    with pytest.raises(WriteError):
        stopped(network, tmp_path / "absent" / "town.wfflows", 0.5)


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("flow", lambda flow: flow * 2, "does not go on or end"),
        ("through", lambda through: through * np.nan, "no number"),
        ("totals", lambda totals: totals * np.array([1, 1, 2]), "not as long"),
        ("ends", lambda ends: ends[:-1], "ends"),
        ("done", 41, "more sources"),
        ("distance", "7", "sum of distances"),
        ("format", "wayfront flows 9", "does not know"),
    ],
)
def test_damaged_checkpoints_are_refused(
    network: RoadNetwork, tmp_path: Path, name: str, change: Any, why: str
) -> None:
    path = tmp_path / "town.wfflows"
    stopped(network, path, 0.5)
    with path.open("rb") as file:
        archive = ArrayArchive(file)
        header: Any = archive.header(1 << 14)
        arrays = {each: archive.read(each) for each in archive.names if each != "header"}
    if name in header:
        header[name] = change
    else:
        arrays[name] = change(arrays[name])
    with path.open("wb") as file:
        write_arrays(file, header, arrays)
    with pytest.raises(FormatError, match=why):
        wayfront.flows(network, device="cpu", checkpoint=path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(FormatError, match="damaged"):
        wayfront.flows(network, device="cpu", checkpoint=path)
