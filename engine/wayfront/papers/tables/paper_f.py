"""F, which is no paper of the project: near-far beside what others publish of it and its kin."""

from __future__ import annotations

from wayfront.papers.description import Contender, Hardware, Paper, Ratio, Rival, Table
from wayfront.papers.tables.graphs import NEW_YORK, WHOLE_SEARCH

_GPU, _CPU = Hardware.GPU, Hardware.CPU
_RESIDENT, _BUCKETS = "near-far, one launch", "Dijkstra, bucket queue"

PAPER = Paper(
    "F",
    "Near-far, beside what others publish",
    "Davidson and others 2014; ADDS, MLMQ, Lonestar, GAPBS, RoutingKit, Boost, SciPy",
    "2014 and later",
    "hardware as named in each row",
    (
        Table(
            "Near-far and its kin",
            (NEW_YORK,),
            (
                Contender(_RESIDENT, "near-far-resident"),
                Contender("near-far, stepped", "near-far"),
                Contender(_BUCKETS, "dijkstra", on=_CPU),
                Contender("Dijkstra, binary heap", "dijkstra-heap", on=_CPU),
            ),
            ratios=(
                Ratio(_RESIDENT, "near-far, stepped"),
                Ratio(_RESIDENT, _BUCKETS),
                Ratio(_BUCKETS, "Dijkstra, binary heap"),
            ),
            rivals=(
                Rival("MLMQ", NEW_YORK.name, 6.46, "A100, published", _GPU),
                Rival("ADDS", NEW_YORK.name, 10.66, "A100, published", _GPU),
                Rival("ADDS", NEW_YORK.name, 8.6, "H200, measured", _GPU),
                Rival("Lonestar near-far", NEW_YORK.name, 11.0, "H200, measured", _GPU),
                Rival("GAPBS Δ-stepping", NEW_YORK.name, 11.5, "one thread, measured", _CPU),
                Rival("RoutingKit", NEW_YORK.name, 28.0, "one thread, measured", _CPU),
                Rival("Boost", NEW_YORK.name, 30.0, "one thread, measured", _CPU),
                Rival("SciPy", NEW_YORK.name, 36.0, "one thread, measured", _CPU),
                Rival("igraph", NEW_YORK.name, 120.0, "one thread, measured", _CPU),
                Rival("networkx", NEW_YORK.name, 748.0, "one thread, measured", _CPU),
            ),
            ours=WHOLE_SEARCH,
            theirs="a search without loading, by whoever measured it",
            note="Figures of others were measured elsewhere, ours on this machine.",
        ),
    ),
)
