"""What answers for compiled loops until they are compiled gives the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import wayfront
from wayfront.devices.compiling import compiled_here, stand_in
from wayfront.network.structure import join
from wayfront.safe.errors import CertificateError
from wayfront.searching.certificate import certify


@pytest.fixture
def standing_in() -> Iterator[None]:
    stand_in(True)
    yield
    stand_in(False)


@pytest.mark.usefixtures("standing_in")
@pytest.mark.parametrize("arcs", [0, 30, 90, 400])
def test_nodes_are_joined_alike(arcs: int) -> None:
    chance = np.random.default_rng(arcs)
    tails = np.sort(chance.integers(0, 100, arcs))
    offsets = np.searchsorted(tails, np.arange(101))
    targets = chance.integers(0, 100, arcs).astype(np.int32)
    with compiled_here():
        compiled = join(offsets, targets)
    assert join(offsets, targets).tolist() == compiled.tolist()


@pytest.fixture(scope="module")
def tree() -> Any:
    return wayfront.search(wayfront.open_network("synthetic:grid?columns=9&rows=9"), 40, "dijkstra", "cpu", trace=False)


def changed(values: Any, at: int, value: int) -> Any:
    other = values.copy()
    other[at] = value
    return other


@pytest.mark.usefixtures("standing_in")
def test_a_right_tree_is_proved(tree: Any) -> None:
    certify(tree)


@pytest.mark.usefixtures("standing_in")
@pytest.mark.parametrize(
    ("field", "at", "value"),
    [
        ("distances", 3, 0),
        ("distances", 3, 10**6),
        ("distances", 3, -5),
        ("distances", 3, -1),
        ("parents", 3, 77),
        ("parents", 3, -1),
        ("parents", 40, 3),
    ],
)
def test_a_wrong_tree_is_refused_for_the_same_reason(tree: Any, field: str, at: int, value: int) -> None:
    wrong = replace(tree, **{field: changed(getattr(tree, field), at, value)})
    with pytest.raises(CertificateError) as found:
        certify(wrong)
    with compiled_here(), pytest.raises(CertificateError) as compiled:
        certify(wrong)
    assert str(found.value) == str(compiled.value)


@pytest.mark.usefixtures("standing_in")
def test_a_cycle_of_arcs_without_weight_is_no_tree() -> None:
    from wayfront.network.road_network import Metric, RoadNetwork

    network = RoadNetwork.from_arcs(
        name="cycle",
        node_count=3,
        tails=np.array([0, 1, 2], np.int32),
        heads=np.array([1, 2, 1], np.int32),
        metrics=[Metric("length", "m", 1, np.zeros(3, np.int32))],
    )
    right = wayfront.search(network, 0, "dijkstra", "cpu")
    with pytest.raises(CertificateError, match="cycle"):
        certify(replace(right, parents=np.array([-1, 2, 1], np.int32)))
