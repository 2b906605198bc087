"""Paper C: searches from one source with and without atomic records, and all pairs with a heap for each thread."""

from __future__ import annotations

from wayfront.papers.description import Contender, Hardware, Paper, Ratio, Sources, Table, TableKind
from wayfront.papers.tables.graphs import FLORIDA, GRAPH_4096, GRAPH_65536, NEW_YORK, WHOLE_SEARCH

_GRAPHS = (GRAPH_4096, GRAPH_65536, NEW_YORK, FLORIDA)

_ONE_SOURCE_MS = {
    "Graph4096": (6.28, 0.98, 1.32),
    "Graph65536": (21.53, 4.15, 3.76),
    "New York": (157.0, 102.0, 118.0),
    "Florida": (1086.0, 1651.0, 1593.0),
}
_HEAP, _SSSP, _ATOMICS = _ONE_SOURCE_LABELS = ("heap Dijkstra, CPU", "SSSP on GPU", "Advanced_Atomics")

_ALL_PAIRS_S = {
    "Graph4096": (545.0, 12.44, 9.6),
    "Graph65536": (13104.0, 743.0, 252.0),
    "New York": (23518.0, 1569.0, 511.0),
    "Florida": (65950.0, 2652.0, 1403.0),
}
_SPREAD = "Heap_APSP, spread over the card, ours"
_FLOYD, _BY_SSSP, _HEAP_APSP = _ALL_PAIRS_LABELS = ("Floyd–Warshall, CPU", "APSP by SSSP", "Heap_APSP")

_ABOUT_GRAPHS = (
    "Of Graph4096 and Graph65536 the paper says only that every node has degree 6; here each has six arcs out and in, "
    "with weights 1 to 1,000."
)

_ONE_SOURCE = Table(
    "SSSP",
    _GRAPHS,
    (
        Contender(_HEAP, "dijkstra-heap", on=Hardware.CPU),
        Contender(_SSSP, "relax-update"),
        Contender(_ATOMICS, "advanced-atomics"),
    ),
    {
        (graph, label): ms
        for graph, row in _ONE_SOURCE_MS.items()
        for label, ms in zip(_ONE_SOURCE_LABELS, row, strict=True)
    },
    (Ratio(_ATOMICS, _HEAP), Ratio(_SSSP, _HEAP), Ratio(_ATOMICS, _SSSP)),
    ours=WHOLE_SEARCH,
    theirs="not told, nor the number of runs",
    note=_ABOUT_GRAPHS + " The paper finds Florida slower on its GPU than on its CPU.",
)

_ALL_PAIRS = Table(
    "APSP",
    _GRAPHS,
    (
        Contender(_FLOYD, "floyd-warshall", on=Hardware.CPU, sources=Sources.ALL),
        Contender(_BY_SSSP, "relax-update-in-turn"),
        Contender(_HEAP_APSP, "heap-apsp", {"block": 512}, sources=Sources.TOGETHER),
        Contender(_SPREAD, "heap-apsp", sources=Sources.TOGETHER),
    ),
    {
        (graph, label): seconds * 1000
        for graph, row in _ALL_PAIRS_S.items()
        for label, seconds in zip(_ALL_PAIRS_LABELS, row, strict=True)
    },
    (Ratio(_HEAP_APSP, _BY_SSSP), Ratio(_HEAP_APSP, _FLOYD), Ratio(_BY_SSSP, _FLOYD), Ratio(_SPREAD, _HEAP_APSP)),
    kind=TableKind.ALL_PAIRS,
    ours="all sources, their rows reduced on the device to sums and eccentricities and not copied out; where that "
    "would take too long, evenly drawn sources, their time scaled to all of them",
    theirs="not told, nor the number of runs",
    note="The paper's times cannot be of all pairs throughout: its Floyd–Warshall grows 24-fold from 4,096 to 65,536 "
    "nodes, where n³ asks for 4,096 times, and n² distances of its two road networks fill 280 GB and 4.6 TB. It "
    "claims 4.7 to 5.7 times for degree 6, 46 to 56 (40 to 50 in its conclusion) over the CPU, 1 to 3 over APSP by "
    "SSSP. " + _ABOUT_GRAPHS,
)

PAPER = Paper(
    "C",
    "Two improved shortest path algorithms on GPU",
    "Liu, Wang",
    "2014",
    "Intel Core i3 760, GeForce GTX 550 Ti",
    (_ONE_SOURCE, _ALL_PAIRS),
)
