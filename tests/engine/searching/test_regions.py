"""How the map is divided into regions, and what is refused; the search itself is simulated with the others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wayfront
from search_checks import networks
from wayfront.algorithms.regions import OUTSIDE, RECORD, divide_map, plan_regions, prepare
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import DeviceMemoryError, OptionError

GRID = wayfront.open_network("synthetic:grid?columns=20&rows=15")


def arcs_of_plan(network: RoadNetwork, count: int) -> list[tuple[int, int, int]]:
    """Return all arcs as a block would follow them: tail, head and weight, in order."""
    region = divide_map(network, count)
    plan, (most_nodes, most_arcs, most_leaving) = plan_regions(network, network.metrics[0], region, count)
    found = []
    for number, record in enumerate(plan.records.reshape(-1, RECORD).tolist()):
        base, nodes, inboxes, first_arc, arcs, first_leaving, leaving, _ = record
        assert nodes <= most_nodes and arcs <= most_arcs and leaving <= most_leaving
        assert (region[plan.node_at[base : base + nodes]] == number).all()
        rows = plan.rows[base + number : base + number + nodes + 1].tolist()
        assert rows[0] == 0 and rows[-1] == arcs
        for place in range(nodes):
            for arc in range(first_arc + rows[place], first_arc + rows[place + 1]):
                target = int(plan.targets[arc])
                head = base + target
                if target >= OUTSIDE:
                    assert target - OUTSIDE < leaving
                    head = int(plan.heads[first_leaving + target - OUTSIDE])
                    to, *_ = plan.to[first_leaving + target - OUTSIDE :].tolist()
                    there = plan.records.reshape(-1, RECORD)[to]
                    assert to != number and there[0] <= head < there[0] + there[2], "it leads to an inbox"
                found.append((int(plan.node_at[base + place]), int(plan.node_at[head]), int(plan.weights[arc])))
        assert inboxes <= nodes
    return sorted(found)


@given(networks(), st.integers(1, 9))
def test_regions_have_every_arc_once(network: RoadNetwork, count: int) -> None:
    arcs = zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    assert arcs_of_plan(network, count) == sorted(arcs)


@pytest.mark.parametrize("count", [1, 7, 12])
def test_a_map_is_divided_evenly_into_areas(count: int) -> None:
    region = divide_map(GRID, count)
    sizes = np.bincount(region, minlength=count)
    assert sizes.max() - sizes.min() <= count.bit_length()
    crossing = np.count_nonzero(region[GRID.tails()] != region[GRID.targets])
    assert crossing < 0.25 * GRID.arc_count, "areas have short borders; runs of nodes would cross twice as often"
    assert len(arcs_of_plan(GRID, count)) == GRID.arc_count


def fake_run(regions: Any, shared_bytes: int) -> Any:
    """Return what preparing asks of a run on a card of four processors."""
    device = SimpleNamespace(id="cuda:0", busy_blocks=32, shared_bytes=shared_bytes, memory="nowhere", put=np.array)
    dtype = np.dtype(np.int32)
    found = {"network": GRID, "metric": GRID.metrics[0], "node_count": GRID.node_count, "distance_dtype": dtype}
    return SimpleNamespace(device=device, options={"regions": regions}, **found)


def test_what_finds_no_place_is_refused_in_words() -> None:
    told: list[str] = []
    assert set(prepare(fake_run(4, 1 << 16), lambda doing, _: told.append(doing), None)) == {"regions"}
    assert told == ["dividing the map"]
    with pytest.raises(OptionError, match="5 regions are more than cuda:0 can work on at once; choose at most 4"):
        prepare(fake_run(5, 1 << 16), lambda *_: None, None)
    with pytest.raises(DeviceMemoryError, match=r"a region of .* choose near-far-resident, or a smaller network"):
        prepare(fake_run(2, 1 << 13), lambda *_: None, None)
