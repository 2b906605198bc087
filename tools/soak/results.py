"""Saved results that the program reads back: times as JSON, and the unfinished matrix of a search for all pairs."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.searching.run import Progress

TREES, REPRODUCED = "map.trees.json", "map.reproduced.json"
ROWS, ROWS_DONE = "map.rows.npy.part", "map.rows.wfpairs"
"""An unfinished matrix, and which of its sources are finished."""
_ROWS_SEARCH = "dijkstra-in-turn"


def make_results(folder: Path, network: RoadNetwork) -> None:
    """Write an example of each into a folder."""
    _write_times(folder)
    begun = Event()

    def stop(progress: Progress) -> None:
        if progress.sources_done:
            begun.set()

    from wayfront import all_pairs
    from wayfront.safe.errors import SearchCancelled

    with suppress(SearchCancelled):
        all_pairs(
            network,
            "relax-update-in-turn",
            "cpu",
            keep=folder / ROWS.removesuffix(".part"),
            checkpoint=folder / ROWS_DONE,
            progress=stop,
            cancel=begun,
        )


def _write_times(folder: Path) -> None:
    from wayfront.benchmarks.tree_times import Limits, Stage, Times, TreeBenchmark, Work
    from wayfront.papers.comparison import Cell, Comparison, record_of
    from wayfront.papers.published import PAPERS

    times = Times(
        Stage.TREE, "wayfront", "cpu", "a processor", (1.5, 2.0), work=Work(1e6, 4e6), limits=Limits(1e9, 1e9)
    )
    network = {"name": "map", "metric": "length", "unit": "m", "nodes": 9, "arcs": 18}
    cut = {"method": "inertial", "cells": 3, "levels": 2, "largest_front": 4}
    found = TreeBenchmark(network, cut, 9, (times,), (("another", "not here"),), {"cpu": "a processor"})
    (folder / TREES).write_text(json.dumps({"benchmarks": [found.record()]}))
    table = PAPERS[0].tables[0]
    cells = tuple(Cell(each.label, each.algorithm, {}, "cpu", "a processor", (3.0, 4.0)) for each in table.contenders)
    measured = Comparison(PAPERS[0], table, table.graphs[0], (9, 18), 9, 100, cells, machine={"cpu": "a processor"})
    (folder / REPRODUCED).write_text(json.dumps(record_of(PAPERS, [measured])))


def use_trees(path: Path, _network: RoadNetwork) -> bool:
    """Read times of ``benchmark trees`` and write them again."""
    from wayfront.benchmarks.tree_times import read_benchmarks

    json.dumps([found.record() for found in read_benchmarks(path)])
    return True


def use_reproduced(path: Path, _network: RoadNetwork) -> bool:
    """Read times of ``reproduce`` and write them again, with their ratios."""
    from wayfront.papers.comparison import merge, read_comparisons, record_of
    from wayfront.papers.published import PAPERS

    json.dumps(record_of(PAPERS, merge(read_comparisons(path, PAPERS))))
    return True


def use_rows(path: Path, network: RoadNetwork) -> bool:
    """Go on with a search for all pairs from its unfinished matrix, and read every row of the finished one."""
    from wayfront import all_pairs

    matrix, done = path.with_name(path.name.removesuffix(".part")), path.with_name(f"again-{ROWS_DONE}")
    for made_before in (matrix, matrix.with_suffix(".ids.npz")):
        made_before.unlink(missing_ok=True)
    shutil.copy(path.with_name(ROWS_DONE), done)
    whole = all_pairs(network, _ROWS_SEARCH, "cpu", keep=matrix, checkpoint=done, runs=0)
    json.dumps(whole.summary())
    for source in range(network.node_count):
        whole.row(source)
    return True
