"""The figures of steps as a table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import wayfront
from wayfront.opening import open_network
from wayfront.trace.step_table import write_steps


def read(algorithm: str, folder: Path) -> tuple[wayfront.Trace, list[dict[str, str]]]:
    network = open_network("example:paper-e")
    trace = wayfront.search(network, 0, algorithm, "cpu", runs=0, trace=True).trace
    assert trace is not None
    path = folder / "steps.csv"
    write_steps(trace, network, path)
    return trace, list(csv.DictReader(path.read_text().splitlines()))


def test_a_line_for_each_step_has_its_figures(tmp_path: Path) -> None:
    trace, rows = read("dijkstra", tmp_path)
    assert [int(row["step"]) for row in rows] == list(range(1, len(trace) + 1))
    assert [int(row["frontier"]) for row in rows] == trace.frontier_size.tolist()
    assert [int(row["relaxations"]) for row in rows] == trace.relaxations.tolist()
    assert [row["settled"] for row in rows] == ["A", "C", "D", "B", "E"], "nodes are called as people see them"
    assert {row["queue"] for row in rows} == {""}, "it did not report how long its queue is"


def test_buckets_have_their_bounds(tmp_path: Path) -> None:
    trace, rows = read("delta-stepping", tmp_path)
    known = np.array([[int(row[name]) for name in ("bucket", "from_distance", "to_distance")] for row in rows])
    assert known.tolist() == np.stack([trace.bucket, trace.bucket_low, trace.bucket_high], 1).tolist()
    assert {row["phase"] for row in rows} <= {"light arcs", "heavy arcs"} and {row["settled"] for row in rows} == {""}
