"""What a search for one tree does in its own way: make the tree, and copy it back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from wayfront.devices.device import Device
from wayfront.network.road_network import RoadNetwork
from wayfront.search.customised import is_prepared
from wayfront.search.distances import in_fewest_bits, overflows
from wayfront.search.execution import execute
from wayfront.search.procedure import Found
from wayfront.search.registry import SearchKind
from wayfront.search.result import Result
from wayfront.search.run import Run, Setting
from wayfront.search.tree import make_tree, prepare_tree


@dataclass(frozen=True, slots=True)
class OneTree:
    """The procedure for one tree: from ``source``, an internal node number."""

    source: int
    kind = SearchKind.ONE_TREE

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the dissection where the network's cut is kept, else the name of the fastest search on a device."""
        return "dissection" if is_prepared(device, network) else device.fastest

    def make_run(self, setting: Setting) -> Run:
        """Return a run from the source."""
        return Run(setting, self.source)

    def rehearsal(self) -> OneTree:
        """Return the procedure from node 0."""
        return OneTree(0)

    def finish(self, run: Run) -> Found[Result] | None:
        """Make the tree and copy distances and parents back; None if the distances overflowed."""
        if run.parents is None:
            prepare_tree(run)
        begin = time.perf_counter()
        if overflows(run):
            return None
        on_device = make_tree(run) if run.parents is None else run.parents
        run.device.synchronize()
        made = time.perf_counter()
        distances, parents = run.device.get(run.distances, run.node_count), run.device.get(on_device, run.node_count)
        copied = time.perf_counter()
        distances = in_fewest_bits(distances)
        distances.flags.writeable = parents.flags.writeable = False
        make_result = partial(Result, source=run.source, distances=distances, parents=parents)
        return Found(make_result, transfer_ms=(copied - made) * 1e3, tree_ms=(made - begin) * 1e3)


def reference_tree(network: RoadNetwork, source: int, metric: str) -> Result:
    """Return the tree that the reference of all searches finds from a node, internal number; nothing is recorded."""
    return execute(
        OneTree(source),
        network,
        "dijkstra",
        "cpu",
        metric=metric,
        options=None,
        threads=1,
        runs=0,
        trace_budget=None,
        verify=False,
        progress=None,
        cancel=None,
    )
