"""Keep dissections: in memory with their network, so that nothing is cut twice."""

from __future__ import annotations

from threading import Event

from wayfront.dissection.cutting import dissect
from wayfront.dissection.shape import Dissection
from wayfront.formats.progress import ProgressCallback
from wayfront.network.road_network import RoadNetwork


def dissection_of(
    network: RoadNetwork,
    *,
    method: str = "auto",
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
    only_kept: bool = False,
) -> Dissection | None:
    """Return a network's dissection, cut now if it is not kept; with ``only_kept`` None instead of cutting.

    Raises what ``dissect`` raises.
    """
    name = "dissection"
    if only_kept and not network.has_derived(name):
        return None
    return network.derive(
        name, lambda: dissect(network, method=method, threads=threads, progress=progress, cancel=cancel)
    )
