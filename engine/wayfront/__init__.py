"""Shortest-path searches on real road networks, on the GPU and the CPU, step by step and truthfully timed.

    network = wayfront.open_network("USA-road-d.NY.gr.gz")
    result = wayfront.search(network, network.node(1))

Names are loaded when first used, so that ``import wayfront`` costs nothing and the simulator can still be chosen
before numba starts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wayfront.version import __version__

if TYPE_CHECKING:
    from wayfront.formats import OsmOptions, estimate_memory, open_network
    from wayfront.network import RoadNetwork
    from wayfront.registry import algorithms
    from wayfront.result import Result
    from wayfront.searching import search
    from wayfront.trace import Trace
    from wayfront.trace_file import load_trace, save_trace

__all__ = [
    "OsmOptions",
    "Result",
    "RoadNetwork",
    "Trace",
    "__version__",
    "algorithms",
    "estimate_memory",
    "load_trace",
    "open_network",
    "save_trace",
    "search",
]

_HOMES = {
    "OsmOptions": "wayfront.formats",
    "Result": "wayfront.result",
    "RoadNetwork": "wayfront.network",
    "Trace": "wayfront.trace",
    "algorithms": "wayfront.registry",
    "estimate_memory": "wayfront.formats",
    "load_trace": "wayfront.trace_file",
    "open_network": "wayfront.formats",
    "save_trace": "wayfront.trace_file",
    "search": "wayfront.searching",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wayfront' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
