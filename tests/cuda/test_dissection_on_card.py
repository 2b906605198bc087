"""Dissection on a card: trees, batches, figures and changed roads, as plain Python finds them."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import wayfront
from access_checks import differences
from card_engine_checks import Case, wrong_answers
from dissected import street_grid
from search_checks import make_network, random_arcs
from wayfront.devices import devices, open_device
from wayfront.devices.device import BLOCKS_OF_ONE
from wayfront.dissection.card.engine import NODE_BYTES, Division
from wayfront.dissection.cut.cutting import dissect
from wayfront.synthetic import from_name

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]

KINDS = (np.int32, np.int64)


@pytest.mark.parametrize("dtype", KINDS)
def test_two_grids_that_do_not_hang_together(dtype: Any) -> None:
    network = street_grid(40, 30, 1000, seed=1)
    assert wrong_answers(network, "cuda", dtype=dtype, trees=8, batch=150, changes=6, seed=2) == []


@pytest.mark.parametrize("dtype", KINDS)
def test_fronts_of_every_size(dtype: Any) -> None:
    network = from_name("synthetic:grid?columns=150&rows=150&seed=2")
    case = Case(network, "cuda", dtype)
    sizes = case.engine.front_sizes
    for least, most in ((1, 32), (33, 64), (65, 96), (97, 128), (129, 10_000)):
        assert ((sizes >= least) & (sizes <= most)).any(), f"no front of {least} to {most} nodes"
    case.customise()
    case.check_trees(np.array([0, 11_111, 22_499], np.int32))
    case.check_batches(np.arange(0, 22_500, 1200, dtype=np.int32))
    assert case.wrong == []


@pytest.mark.parametrize("largest", [1000, 2**31 - 1])
def test_access_is_the_processors_to_the_last_bit(largest: int) -> None:
    assert differences(street_grid(40, 30, largest, seed=1), "cuda", 1500, 3, largest) == []


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize(("processors", "tiers"), [(6, 1), (2, 2)])
def test_two_blocks_on_each_processor_and_lower_tiers(
    processors: int, tiers: int, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = open_device("cuda")
    monkeypatch.setattr(device, "busy_blocks", processors * BLOCKS_OF_ONE)
    monkeypatch.setattr(device, "shared_bytes", 1 << 16)
    case = Case(street_grid(60, 50, 1000, seed=8), "cuda", dtype)
    assert case.engine._search.fits
    assert any(len(Division.of(device, dissect(case.network), size).regions.tiers) == tiers for size in NODE_BYTES)
    case.customise()
    sources = np.array([0, 1777, 2999, 5999], np.int32)
    case.check_trees(sources)
    case.check_batches(sources)
    assert case.wrong == []


def test_small_networks() -> None:
    path = make_network(60, [(u, u + 1, 3) for u in range(59)])
    for network in (make_network(1, []), make_network(5, [(0, 1, 7), (3, 2, 0)]), path, random_arcs(60, 170, 50, 3)):
        assert wrong_answers(network, "cuda", dtype=np.int32, trees=3, batch=20, changes=0, seed=1) == []


def test_more_sources_than_go_side_by_side() -> None:
    case = Case(street_grid(12, 10, 50, seed=4), "cuda", np.int32)
    case.customise()
    case.check_batches(np.tile(np.arange(240, dtype=np.int32), 9))
    assert case.wrong == []


def test_rows_of_an_earlier_batch_do_not_stay_on_the_card() -> None:
    case = Case(street_grid(12, 10, 50, seed=4), "cuda", np.int32)
    case.customise()
    sources = np.arange(100, dtype=np.int32)
    first, second = (case.device.empty(100 * case.network.node_count, np.int32) for _ in range(2))
    gone = weakref.ref(first)
    case.engine.trees(sources, first, 1, 100)
    del first
    case.engine.trees(sources, second, 1, 100)
    assert gone() is None


def test_distances_that_are_too_long_are_noticed() -> None:
    for weights in ([2**29, 2**29, 2**29], [2**31 - 1, 1, 1]):
        case = Case(make_network(4, [(u, u + 1, weight) for u, weight in enumerate(weights)]), "cuda", np.int32)
        assert not case.engine.customise(case.weights.astype(np.int32))


def test_all_pairs_without_rows_equal_those_with() -> None:
    network = street_grid(30, 30, 200, seed=6)
    kept = wayfront.all_pairs(network, "dissection-all-pairs", "cuda", keep="matrix", runs=0, verify=True)
    found = wayfront.all_pairs(network, "dissection-all-pairs", "cuda", runs=1)
    for figure in ("eccentricity", "farthest", "total", "reached"):
        assert (getattr(found.figures, figure) == getattr(kept.figures, figure)).all(), figure
