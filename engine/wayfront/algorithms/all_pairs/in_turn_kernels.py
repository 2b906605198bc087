"""The compiled loop that runs Dijkstra's search from several sources, one after the other, on one core."""

from __future__ import annotations

from wayfront.algorithms.dijkstra.bucket_kernels import BucketQueue, settle_buckets, start_buckets
from wayfront.compiling import loop_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording


@loop_without_allocation
def settle_from_each(
    arcs: Arcs,
    rows: DeviceArray,
    sources: DeviceArray,
    first: int,
    end: int,
    infinity: int,
    queue: BucketQueue,
    fine_bits: int,
    settled: DeviceArray,
    unrecorded: Recording,
) -> None:
    """Find the rows first … end−1 of ``rows`` [count, n], those of the sources with the same indices."""
    everything = len(settled) + len(arcs.targets) + len(queue.entry_node)
    for row in range(first, end):
        distances = rows[row]
        start_buckets(queue, distances, sources[row], infinity)
        count, done = 0, False
        while not done:
            count, done = settle_buckets(
                arcs, distances, queue, fine_bits, settled, count, len(settled) + 1, everything, unrecorded
            )
