"""What NetworkX reads when it is imported: which functions the backend has. Nothing else is imported for that."""

from __future__ import annotations

from typing import Any

_SEARCHES = "Runs compiled and returns what NetworkX returns, in the same order; ties are broken as there."
_TREES = "Runs compiled; in large graphs with whole weights the graph is cut once, so that a tree takes a fraction."
_BETWEEN = (
    "Runs compiled and adds up what NetworkX adds up, in the same order; samples of nodes, k, are left to NetworkX."
)
_BELLMAN_FORD = "Weights of 0 or more only, for which Dijkstra's search finds the same distances sooner."

FUNCTIONS = {
    "all_pairs_bellman_ford_path": _BELLMAN_FORD,
    "all_pairs_bellman_ford_path_length": _BELLMAN_FORD,
    "all_pairs_dijkstra": _SEARCHES,
    "all_pairs_dijkstra_path": _SEARCHES,
    "all_pairs_dijkstra_path_length": _SEARCHES,
    "all_pairs_shortest_path": _SEARCHES,
    "all_pairs_shortest_path_length": _SEARCHES,
    "astar_path": f"{_SEARCHES} Without a heuristic only.",
    "astar_path_length": f"{_SEARCHES} Without a heuristic only.",
    "average_shortest_path_length": _TREES,
    "bellman_ford_path": _BELLMAN_FORD,
    "bellman_ford_path_length": _BELLMAN_FORD,
    "betweenness_centrality": _BETWEEN,
    "betweenness_centrality_subset": _SEARCHES,
    "bidirectional_dijkstra": _SEARCHES,
    "bidirectional_shortest_path": _SEARCHES,
    "closeness_centrality": _TREES,
    "diameter": _TREES,
    "dijkstra_path": _SEARCHES,
    "dijkstra_path_length": _SEARCHES,
    "dijkstra_predecessor_and_distance": _SEARCHES,
    "eccentricity": _TREES,
    "edge_betweenness_centrality": _BETWEEN,
    "harmonic_centrality": _SEARCHES,
    "has_path": _SEARCHES,
    "multi_source_dijkstra": _SEARCHES,
    "multi_source_dijkstra_path": _SEARCHES,
    "multi_source_dijkstra_path_length": _SEARCHES,
    "periphery": _TREES,
    "radius": _TREES,
    "shortest_path": _SEARCHES,
    "shortest_path_length": _SEARCHES,
    "single_source_bellman_ford": _BELLMAN_FORD,
    "single_source_bellman_ford_path": _BELLMAN_FORD,
    "single_source_bellman_ford_path_length": _BELLMAN_FORD,
    "single_source_dijkstra": _SEARCHES,
    "single_source_dijkstra_path": _SEARCHES,
    "single_source_dijkstra_path_length": _SEARCHES,
    "single_source_shortest_path": _SEARCHES,
    "single_source_shortest_path_length": _SEARCHES,
}
"""The functions that the backend has, each with what its documentation says of the backend."""


def backend_info() -> dict[str, Any]:
    """Return what NetworkX shows of the backend in its functions' documentation."""
    return {
        "backend_name": "wayfront",
        "project": "wayfront",
        "package": "wayfront-engine",
        "short_summary": "Shortest paths on large graphs, such as road networks.",
        "description": "Weights are numbers, by the name of an attribute; functions as weights are left to NetworkX.",
        "functions": {name: {"additional_docs": text} for name, text in FUNCTIONS.items()},
    }
