"""The figures of every step of a trace as a table, for spreadsheets and plots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wayfront.network.road_network import RoadNetwork
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_text
from wayfront.trace.schema import NO_BUCKET, NO_QUEUE, NOT_SETTLED, Trace


def write_steps(trace: Trace, network: RoadNetwork, path: str | Path) -> None:
    """Write a line of CSV for every step. Raises ``WriteError``.

    Steps are counted from 1, distances are raw weights, the node that a step settled is called as in the file, and
    the time is that of the traced run. What a search did not report of a step is left empty.

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=5")
        >>> found = wayfront.search(network, 0, "dijkstra", "cpu", trace=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_steps(found.trace, network, f"{folder}/steps.csv")
        ...     len(Path(folder, "steps.csv").read_text().splitlines())
        6
    """
    write_text_whole(path, csv_text(_rows(trace, network)))


def _rows(trace: Trace, network: RoadNetwork) -> Iterator[dict[str, Any]]:
    for step in trace:
        note = step.note
        bucketed = note.bucket != NO_BUCKET
        yield {
            "step": step.index + 1,
            "frontier": step.frontier_size,
            "relaxations": step.relaxations,
            "improved": step.improved,
            "bucket": note.bucket if bucketed else "",
            "from_distance": note.low if bucketed else "",
            "to_distance": note.high if bucketed else "",
            "queue": "" if note.queue == NO_QUEUE else note.queue,
            "settled": "" if note.settled == NOT_SETTLED else network.node_name(note.settled),
            "phase": note.phase,
            "mode": note.mode,
            "why": note.reason,
            "traced_ms": step.time_ns * 1e-6 if step.time_ns else "",
        }
