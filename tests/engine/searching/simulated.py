"""Answer each line of tasks in JSON with a line of results; ``test_simulator`` runs this in a process of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import wayfront
from access_checks import differences
from card_engine_checks import wrong_answers
from dissected import street_grid
from flows_checks import differing_flows
from search_checks import star_or_random_arcs
from simulated_reductions import wrong_reductions
from simulated_schedules import IN_ORDER
from simulated_threads import install, scheduled
from wayfront.algorithms import floyd_warshall as floyd_warshall_kernels
from wayfront.devices import open_device
from wayfront.devices.simulator import SimulatorDevice
from wayfront.dissection.card import engine as card_engine
from wayfront.dissection.card import flows as card_flows
from wayfront.dissection.card import tree as card_descent
from wayfront.dissection.card.engine import Division
from wayfront.dissection.cut import cutting as recursion
from wayfront.dissection.cut.cutting import dissect
from wayfront.results.result import SearchKind
from wayfront.searching.registry import find_algorithm

CARD_ENGINE = "a card's engine"
"""In place of an algorithm: the answer is what its engine finds wrongly in two grids of n by m streets."""

ACCESS = "access"
"""In place of an algorithm: the answer is which measures of access differ from those of the processor."""

FLOWS = "flows"
"""In place of an algorithm: the answer is which flows differ from those of the processor, in leaves of few nodes."""

REDUCTIONS = "reductions"
"""In place of an algorithm: the answer is what the kernels that work together in a block find wrongly."""


class Card(NamedTuple):
    """What networks of a few dozen nodes are given, so that they are divided as large ones are.

    leaf_nodes   nodes of a leaf at most
    node_bytes   bytes of shared memory for each node of a region, of ``shared_bytes`` of a processor
    below        blocks of a lower tier that one of the card's processors takes
    busy_blocks  blocks that keep the card busy, 8 for each of its processors
    block        threads of a block, of which the first 2^team_bits serve levels of few nodes
    """

    leaf_nodes: int
    node_bytes: int
    shared_bytes: int
    below: int
    busy_blocks: int
    block: int
    team_bits: int


CARDS = {
    "of small regions": Card(6, 1 << 12, 1 << 16, 4, 2, 32, 0),
    "of deep regions": Card(4, 256, 5120, 2, 32, 128, 6),
    "of little memory": Card(12, 64, 5800, 2, 64, 64, 5),
}
"""Two tiers of regions, on whose levels all threads of a block work; two tiers of regions of several levels below
several top cells, where a node of a level has two threads; and one tier whose matrices are not all in shared memory
before the ascent ends."""


@contextmanager
def small_card(name: str) -> Iterator[int]:
    """Let the simulator be one of these cards, or itself; yield the bytes that a node is given."""
    if name not in CARDS:
        yield card_engine.NODE_BYTES[0]
        return
    card = CARDS[name]
    device: Any = open_device("simulator")
    team = 1 << card.team_bits if card.team_bits else card.block
    with (
        mock.patch.object(device, "shared_bytes", card.shared_bytes),
        mock.patch.object(device, "most_block", card.block),
        mock.patch.object(device, "busy_blocks", card.busy_blocks),
        mock.patch.multiple(card_engine, NODE_BYTES=(card.node_bytes,), BLOCKS_BELOW=card.below),
        mock.patch.object(recursion, "LEAF_NODES", card.leaf_nodes),
        mock.patch.multiple(card_descent, TEAM_BITS=card.team_bits, TEAM=team),
    ):
        yield card.node_bytes


FIGURES = ("eccentricity", "total", "reached", "farthest")
SEGMENT = floyd_warshall_kernels.SEGMENT
_LAUNCH = SimulatorDevice.launch_resident


def answer(task: list[Any]) -> dict[str, Any]:
    """Return what a search found: nodes, arcs, largest weight and seed of its network, algorithm and options.

    The order of threads may follow.
    """
    *asked, schedule = task if len(task) > 6 else (*task, IN_ORDER)
    with scheduled(schedule):
        return found_by(*asked)


def found_by(n: int, m: int, largest: int, seed: int, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return what a search found."""
    if name == REDUCTIONS:
        return {"wrong": wrong_reductions(seed)}
    if name == FLOWS:
        with mock.patch.multiple(card_flows, LEAST_BELOW=3, SMALLER=2):
            return {"wrong": differing_flows(street_grid(n, m, largest, seed), "simulator", seed, **options)}
    if name == ACCESS:
        return {"wrong": differences(star_or_random_arcs(n, m, largest, seed), "simulator", 9, seed, largest)}
    if name == CARD_ENGINE:
        network = street_grid(n, m, largest, seed)
        dtype = np.dtype(options.pop("dtype"))
        with small_card(options.pop("card")) as node_bytes:
            tiers = Division.of(open_device("simulator"), dissect(network), node_bytes).regions.tiers
            wrong = wrong_answers(network, "simulator", dtype=dtype.type, seed=seed, **options)
            return {"wrong": wrong, "tiers": len(tiers)}
    network = star_or_random_arcs(n, m, largest, seed)
    if find_algorithm(name).kind is SearchKind.ALL_PAIRS:
        with mock.patch.object(floyd_warshall_kernels, "SEGMENT", options.pop("segment", SEGMENT)):
            pairs = wayfront.all_pairs(
                network, name, "simulator", options=options, keep="matrix", verify=True, trace=True
            )
        assert pairs.trace is not None
        matrices = None if pairs.trace.matrices is None else pairs.trace.matrices.tolist()
        found = {"matrix": pairs.matrix.tolist(), "device": pairs.device, "verified": pairs.verified}
        figures = {name: getattr(pairs.figures, name).tolist() for name in FIGURES}
        return found | {"matrices": matrices} | figures
    with mock.patch.object(SimulatorDevice, "launch_resident", autospec=True, side_effect=_LAUNCH) as launches:
        result = wayfront.search(network, 0, name, "simulator", options=options, runs=0, verify=True, trace=True)
    assert result.trace is not None
    labels = result.trace.tentative
    return {
        "labels": None if labels is None else labels.tolist(),
        "resident launches": launches.call_count,
        "held": [result.trace.held(done) for done in range(len(result.trace) + 1)],
        "distances": np.where(result.reached, result.distances, -1).tolist(),
        "parents": result.parents.tolist(),
        "first_reached": result.trace.first_reached.tolist(),
        "frontiers": [step.frontier.tolist() for step in result.trace],
        "improved": result.trace.improved.tolist(),
        "modes": [step.note.mode for step in result.trace],
        "device": result.device,
        "verified": result.verified,
    }


if __name__ == "__main__":
    install()
    for line in sys.stdin:
        print(json.dumps([answer(task) for task in json.loads(line)]), flush=True)  # noqa: T201
