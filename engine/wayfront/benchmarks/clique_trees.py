"""What CliqueTrees.jl publishes of single-source distances by a sparse factorisation, for tables beside ours.

It eliminates in a fill-reducing order what nested dissection eliminates cell by cell, on processors and cards. Its
figures are the authors', of the machines that they name (github.com/AlgebraicJulia/CliqueTrees.jl, 2026, Float32),
and were measured nowhere else: they say what a program reached, not which one is faster on one machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wayfront.benchmarks.tree_times import Stage, Times
from wayfront.devices import CPU, CUDA
from wayfront.network.road_network import Metric, RoadNetwork

BLOCK = 256
"""Sources of a block."""
PROGRAM = "CliqueTrees.jl, as published"
WITHOUT = (
    "a run of CliqueTrees.jl here",
    "its rows are what its authors published, of the machines named in them, and cannot be compared across machines",
)
"""What is left out of every table, and why."""

_METRIC = "travel time"
_BLOCK = f"{BLOCK:,} at once"


class _Published(NamedTuple):
    """The milliseconds of a stage, and on which processor with how many threads, or on which card."""

    stage: Stage
    ms: float
    hardware: str
    threads: int = 0


_CARD, _CORES = "NVIDIA RTX 5060 Laptop", "AMD Ryzen AI 7 350"
_LARGE, _NODE = "NVIDIA RTX PRO 6000 Blackwell", "a node of RTX PRO 6000"

_FIGURES: Mapping[int, tuple[_Published, ...]] = {
    264_346: (  # USA-road-t.NY
        _Published(Stage.CUSTOMISE, 12.3, _CORES, 16),
        _Published(Stage.TREE, 3.24, _CORES, 1),
        _Published(Stage.TREE, 0.83, _CORES, 16),
        _Published(Stage.TREE, 3.18, _CARD),
        _Published(Stage.BATCH, 1.139, _CORES, 16),
        _Published(Stage.BATCH, 0.052, _CARD),
    ),
    1_070_376: (  # USA-road-t.FLA
        _Published(Stage.TREE, 13.2, _CORES, 1),
        _Published(Stage.TREE, 3.27, _CORES, 16),
        _Published(Stage.TREE, 6.87, _CARD),
        _Published(Stage.BATCH, 2.65, _NODE, 16),
        _Published(Stage.BATCH, 0.042, _LARGE),
    ),
    23_947_347: (  # USA-road-t.USA
        _Published(Stage.CUSTOMISE, 27_000.0, _NODE, 16),
        _Published(Stage.TREE, 326.0, _NODE, 1),
        _Published(Stage.TREE, 42.8, _NODE, 16),
        _Published(Stage.TREE, 109.0, _LARGE),
        _Published(Stage.BATCH, 62.7, _NODE, 16),
        _Published(Stage.BATCH, 0.91, _LARGE),
    ),
}
"""By the number of nodes of the network, that of DIMACS by travel time. Customising is its numeric factorisation."""


def published(network: RoadNetwork, metric: Metric) -> list[Times]:
    """Return what was published of a network by a metric: nothing but of three networks of DIMACS by travel time.

    >>> from wayfront.synthetic import from_name
    >>> ring = from_name("synthetic:ring?n=9")
    >>> published(ring, ring.metric())
    []
    """
    found = _FIGURES.get(network.node_count, ()) if metric.name == _METRIC else ()
    return [
        Times(one.stage, PROGRAM, CPU if one.threads else f"{CUDA}:0", one.hardware, (one.ms,), _detail(one))
        for one in found
    ]


def _detail(one: _Published) -> str:
    return ", ".join(filter(None, (_BLOCK if one.stage is Stage.BATCH else "", where(one.hardware, one.threads))))


def where(hardware: str, threads: int) -> str:
    """Return what was run on, in words; no ``threads`` on a card.

    >>> where("a processor", 1), where("a processor", 16), where("a card", 0)
    ('on a processor, one thread', 'on a processor, 16 threads', 'on a card')
    """
    return f"on {hardware}" + {0: "", 1: ", one thread"}.get(threads, f", {threads} threads")
