"""Run shortest-path searches on road networks, on the GPU and the CPU, with every step recorded and timed.

    network = wayfront.open_network("USA-road-d.NY.gr.gz")
    result = wayfront.search(network, network.node(1))

Names are imported when first used, so that ``import wayfront`` is fast and the CUDA simulator can still be chosen
before numba starts.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from wayfront.version import __version__

if TYPE_CHECKING:
    from wayfront.formats.options import OsmOptions
    from wayfront.interop.incoming import from_igraph, from_networkx, from_osmnx, from_pandas, from_scipy
    from wayfront.network.arcs import arcs_between, read_closures, write_closures
    from wayfront.network.closed_turns import read_turns, without_turns, write_turns
    from wayfront.network.costed import with_turn_costs
    from wayfront.network.finding import find_node, node_called
    from wayfront.network.road_network import RoadNetwork
    from wayfront.network.turn_costs import TurnCosts
    from wayfront.opening import estimate_memory, open_network
    from wayfront.pictures import Film, Page, Picture
    from wayfront.places.places import Places
    from wayfront.places.snapping import SnappedPlaces
    from wayfront.plugins.loading import load_plugin
    from wayfront.results.access import Access, Decay
    from wayfront.results.alternatives import Alternatives
    from wayfront.results.assignment import Assignment
    from wayfront.results.directions import directions
    from wayfront.results.flows import Flows
    from wayfront.results.histogram import Histogram
    from wayfront.results.isochrones.isochrones import Isochrones
    from wayfront.results.matrix import Matrix
    from wayfront.results.nearest import Depots, Nearest, best_depots
    from wayfront.results.pairs import PairsResult, PairsSummary
    from wayfront.results.race import Race
    from wayfront.results.result import Result, RouteResult
    from wayfront.results.route import Route
    from wayfront.results.traffic import Bpr
    from wayfront.results.vulnerability import Vulnerability
    from wayfront.searching.access import access
    from wayfront.searching.all_pairs.call import all_pairs, closeness
    from wayfront.searching.alternatives import alternatives
    from wayfront.searching.assignment.call import assign, read_tntp
    from wayfront.searching.call import search, search_nearest
    from wayfront.searching.flows.call import betweenness, flows
    from wayfront.searching.flows.demand import Demand
    from wayfront.searching.flows.live import LiveFlows
    from wayfront.searching.isochrones import isochrones
    from wayfront.searching.matrices.call import distance_matrix
    from wayfront.searching.prepared import Prepared, prepare
    from wayfront.searching.registry import algorithms
    from wayfront.searching.result_file import load_pairs_trace, load_trace, save_trace
    from wayfront.searching.vulnerability import vulnerability
    from wayfront.trace.schema import Trace

__all__ = [
    "Access",
    "Alternatives",
    "Assignment",
    "Bpr",
    "Decay",
    "Demand",
    "Depots",
    "Film",
    "Flows",
    "Histogram",
    "Isochrones",
    "LiveFlows",
    "Matrix",
    "Nearest",
    "OsmOptions",
    "Page",
    "PairsResult",
    "PairsSummary",
    "Picture",
    "Places",
    "Prepared",
    "Race",
    "Result",
    "RoadNetwork",
    "Route",
    "RouteResult",
    "SnappedPlaces",
    "Trace",
    "TurnCosts",
    "Vulnerability",
    "__version__",
    "access",
    "algorithms",
    "all_pairs",
    "alternatives",
    "arcs_between",
    "assign",
    "best_depots",
    "betweenness",
    "closeness",
    "directions",
    "distance_matrix",
    "estimate_memory",
    "find_node",
    "flows",
    "from_igraph",
    "from_networkx",
    "from_osmnx",
    "from_pandas",
    "from_scipy",
    "isochrones",
    "load_pairs_trace",
    "load_plugin",
    "load_trace",
    "node_called",
    "open_network",
    "prepare",
    "read_closures",
    "read_tntp",
    "read_turns",
    "save_trace",
    "search",
    "search_nearest",
    "vulnerability",
    "with_turn_costs",
    "without_turns",
    "write_closures",
    "write_turns",
]

_HOMES = {
    name: module
    for module, names in {
        "wayfront.formats.options": ("OsmOptions",),
        "wayfront.interop.incoming": ("from_igraph", "from_networkx", "from_osmnx", "from_pandas", "from_scipy"),
        "wayfront.network.arcs": ("arcs_between", "read_closures", "write_closures"),
        "wayfront.network.finding": ("find_node", "node_called"),
        "wayfront.network.road_network": ("RoadNetwork",),
        "wayfront.network.costed": ("with_turn_costs",),
        "wayfront.network.turn_costs": ("TurnCosts",),
        "wayfront.network.closed_turns": ("read_turns", "without_turns", "write_turns"),
        "wayfront.opening": ("estimate_memory", "open_network"),
        "wayfront.pictures": ("Film", "Page", "Picture"),
        "wayfront.places.places": ("Places",),
        "wayfront.places.snapping": ("SnappedPlaces",),
        "wayfront.plugins.loading": ("load_plugin",),
        "wayfront.results.access": ("Access", "Decay"),
        "wayfront.results.alternatives": ("Alternatives",),
        "wayfront.results.assignment": ("Assignment",),
        "wayfront.results.directions": ("directions",),
        "wayfront.results.flows": ("Flows",),
        "wayfront.results.isochrones.isochrones": ("Isochrones",),
        "wayfront.results.matrix": ("Matrix",),
        "wayfront.results.nearest": ("Depots", "Nearest", "best_depots"),
        "wayfront.results.histogram": ("Histogram",),
        "wayfront.results.pairs": ("PairsResult", "PairsSummary"),
        "wayfront.results.race": ("Race",),
        "wayfront.results.result": ("Result", "RouteResult"),
        "wayfront.results.traffic": ("Bpr",),
        "wayfront.results.vulnerability": ("Vulnerability",),
        "wayfront.results.route": ("Route",),
        "wayfront.searching.flows.call": ("betweenness", "flows"),
        "wayfront.searching.flows.demand": ("Demand",),
        "wayfront.searching.flows.live": ("LiveFlows",),
        "wayfront.searching.isochrones": ("isochrones",),
        "wayfront.searching.access": ("access",),
        "wayfront.searching.matrices.call": ("distance_matrix",),
        "wayfront.searching.prepared": ("Prepared", "prepare"),
        "wayfront.searching.all_pairs.call": ("all_pairs", "closeness"),
        "wayfront.searching.alternatives": ("alternatives",),
        "wayfront.searching.assignment.call": ("assign", "read_tntp"),
        "wayfront.searching.call": ("search", "search_nearest"),
        "wayfront.searching.registry": ("algorithms",),
        "wayfront.searching.vulnerability": ("vulnerability",),
        "wayfront.searching.result_file": ("load_pairs_trace", "load_trace", "save_trace"),
        "wayfront.trace.schema": ("Trace",),
    }.items()
    for name in names
}
"""The module that each name is imported from."""

# A function has the name of a subpackage. Importing a subpackage sets an attribute of that name here, once: it, which
# imports nothing itself, is therefore imported now and its attribute deleted. From then on __getattr__ below finds the
# function, in whatever order modules are imported.
for _module in iter_modules(__path__):
    if _module.name in _HOMES:
        import_module(f"wayfront.{_module.name}")
        del globals()[_module.name]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wayfront' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
