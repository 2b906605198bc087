"""Run shortest-path searches on road networks, on the GPU and the CPU, with every step recorded and timed.

    network = wayfront.open_network("USA-road-d.NY.gr.gz")
    result = wayfront.search(network, network.node(1))

Names are imported when first used, so that ``import wayfront`` is fast and the CUDA simulator can still be chosen
before numba starts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wayfront.version import __version__

if TYPE_CHECKING:
    from wayfront.formats.osm_options import OsmOptions
    from wayfront.interop.graphs import from_igraph, from_networkx, from_osmnx
    from wayfront.interop.tables import from_pandas, from_scipy
    from wayfront.network.closures import arcs_between, read_closures, write_closures
    from wayfront.network.finding import find_node, node_called
    from wayfront.network.road_network import RoadNetwork
    from wayfront.opening import estimate_memory, open_network
    from wayfront.pictures import Film, Picture
    from wayfront.plugins.loading import load_plugin
    from wayfront.search.all_pairs.call import all_pairs
    from wayfront.search.all_pairs.result import PairsResult
    from wayfront.search.call import search
    from wayfront.search.depots import Depots, best_depots
    from wayfront.search.nearest import Nearest, search_nearest
    from wayfront.search.pairs_summary import PairsSummary
    from wayfront.search.prepared import Prepared, prepare
    from wayfront.search.registry import algorithms
    from wayfront.search.result import Result
    from wayfront.search.result_file import load_pairs_trace, load_trace, save_trace
    from wayfront.search.route import Route
    from wayfront.search.to_target.result import RouteResult
    from wayfront.trace.schema import Trace

__all__ = [
    "Depots",
    "Film",
    "Nearest",
    "OsmOptions",
    "PairsResult",
    "PairsSummary",
    "Picture",
    "Prepared",
    "Result",
    "RoadNetwork",
    "Route",
    "RouteResult",
    "Trace",
    "__version__",
    "algorithms",
    "all_pairs",
    "arcs_between",
    "best_depots",
    "estimate_memory",
    "find_node",
    "from_igraph",
    "from_networkx",
    "from_osmnx",
    "from_pandas",
    "from_scipy",
    "load_pairs_trace",
    "load_plugin",
    "load_trace",
    "node_called",
    "open_network",
    "prepare",
    "read_closures",
    "save_trace",
    "search",
    "search_nearest",
    "write_closures",
]

_HOMES = {
    "Depots": "wayfront.search.depots",
    "Film": "wayfront.pictures",
    "Nearest": "wayfront.search.nearest",
    "OsmOptions": "wayfront.formats.osm_options",
    "PairsResult": "wayfront.search.all_pairs.result",
    "PairsSummary": "wayfront.search.pairs_summary",
    "Picture": "wayfront.pictures",
    "Prepared": "wayfront.search.prepared",
    "Result": "wayfront.search.result",
    "RoadNetwork": "wayfront.network.road_network",
    "Route": "wayfront.search.route",
    "RouteResult": "wayfront.search.to_target.result",
    "Trace": "wayfront.trace.schema",
    "algorithms": "wayfront.search.registry",
    "all_pairs": "wayfront.search.all_pairs.call",
    "arcs_between": "wayfront.network.closures",
    "best_depots": "wayfront.search.depots",
    "estimate_memory": "wayfront.opening",
    "find_node": "wayfront.network.finding",
    "from_igraph": "wayfront.interop.graphs",
    "from_networkx": "wayfront.interop.graphs",
    "from_osmnx": "wayfront.interop.graphs",
    "from_pandas": "wayfront.interop.tables",
    "from_scipy": "wayfront.interop.tables",
    "load_pairs_trace": "wayfront.search.result_file",
    "load_plugin": "wayfront.plugins.loading",
    "load_trace": "wayfront.search.result_file",
    "node_called": "wayfront.network.finding",
    "open_network": "wayfront.opening",
    "prepare": "wayfront.search.prepared",
    "read_closures": "wayfront.network.closures",
    "save_trace": "wayfront.search.result_file",
    "search": "wayfront.search.call",
    "search_nearest": "wayfront.search.nearest",
    "write_closures": "wayfront.network.closures",
}

# Two functions have the names of subpackages. Importing a subpackage sets an attribute of that name here, once: both,
# which import nothing themselves, are therefore imported now and their attributes deleted. From then on __getattr__
# below finds the functions, in whatever order modules are imported.
for _package in ("algorithms", "search"):
    import_module(f"wayfront.{_package}")
    del globals()[_package]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wayfront' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
