"""Kernels of the Dijkstra search by parallel reduction, beside the reduction itself in ``kernels.reduction``."""

from __future__ import annotations

from typing import Final

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min
from wayfront.devices.body_functions import callable_in_bodies
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.kernels.reduction import Nearest, Settling, settle_of_block, settle_on_processor


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, settling: Settling) -> None:
    """Give the source distance 0; no node is settled."""
    distances[i] = 0 if i == source else infinity
    settling.settled[i] = 0
    if i == source:
        settling.taken[0] = 0


@callable_in_bodies
def _relax_arc(
    arc: int, step: int, infinity: int, node: int, arcs: Arcs, distances: DeviceArray, recording: Recording
) -> None:
    """Relax an arc of the node that this step settled."""
    target = arcs.targets[arc]
    offer = distances[node] + arcs.weights[arc]
    if offer < distances[target]:
        before = atomic_min(distances, target, offer)
        if offer < before and recording.on != 0:
            if before == infinity:
                recording.first_reached[target] = step
            if atomic_max(recording.last_improved, target, step) < step:
                atomic_add(recording.improved, step, 1)


def _settle_and_relax_on_card(
    shares: int,
    infinity: int,
    nearest: Nearest,
    settling: Settling,
    arcs: Arcs,
    distances: DeviceArray,
    recording: Recording,
) -> None:
    settle_of_block(shares, nearest, settling)
    node = settling.chosen[0]
    if node < 0:
        return
    arc, end = arcs.offsets[node] + cuda.threadIdx.x, arcs.offsets[node + 1]
    while arc < end:
        _relax_arc(arc, settling.taken[0] - 1, infinity, node, arcs, distances, recording)
        arc += cuda.blockDim.x


def _settle_and_relax_on_processor(
    _blocks: int,
    _block: int,
    shares: int,
    infinity: int,
    nearest: Nearest,
    settling: Settling,
    arcs: Arcs,
    distances: DeviceArray,
    recording: Recording,
) -> None:
    settle_on_processor(shares, nearest, settling)
    node = settling.chosen[0]
    if node >= 0:
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            _relax_arc(arc, settling.taken[0] - 1, infinity, node, arcs, distances, recording)


settle_and_relax: Final = BlockKernel(_settle_and_relax_on_card, _settle_and_relax_on_processor)
"""Find the nearest of all shares, settle it, append it to the order, and relax its arcs; do nothing if there is none.

One block does it: the number of the step is that of the nodes settled before.
"""
