"""What a benchmark of trees found: times by stage, what was left out, and what a stage has to do at least.

A cell with s nodes in its separator and a on its border closes a front of s + a nodes over s of them, hands a × a
entries up, and keeps s × (s + a) for a search that ascends and a × s for one that descends. A tree ascends from the
source's cell to the root and descends through all cells. Bytes are those of entries of so many bytes each, every one
read or written once: an engine that keeps small numbers in fewer, or reads matrices once for many sources, needs less.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection
from wayfront.safe.schema import read_results, text_of
from wayfront.timing.harness import time_figures

LONGEST_FILE = 16 << 20
"""Bytes that a file of results has at most: those of a network take some ten thousand."""


class Stage(StrEnum):
    """What is timed."""

    CUT = "cut"
    CUSTOMISE = "customise"
    TREE = "tree"
    FROM_SCRATCH = "customise and tree"
    PARENTS = "parents, after a tree"
    IN_A_ROW = "tree, sent in a row"
    BATCH = "tree of a batch"
    ALL_PAIRS = "all pairs"


@dataclass(frozen=True, slots=True)
class Work:
    """Additions with a minimum, and bytes moved at least."""

    additions: float
    bytes_moved: float


def customising_work(cells: Dissection, entry_bytes: int) -> Work:
    """Return the work of customising: fronts closed, their results written, and what goes up read again."""
    separator, border = _sizes(cells)
    front = separator + border
    entries = int((front * front + border * border).sum())
    return Work(float((separator * front * front).sum()), float(entry_bytes * entries))


def tree_work(cells: Dissection, sources: NDArray[np.int32], entry_bytes: int) -> Work:
    """Return the work of a tree, the mean over these sources."""
    separator, border = _sizes(cells)
    entries = separator * (separator + border)
    cell, ascend = cells.cell_of[cells.position[sources]], 0.0
    while len(cell):
        ascend += float(entries[cell].sum()) / len(sources)
        cell = cells.parent[cell]
        cell = cell[cell >= 0]
    descend = float((separator * border).sum())
    return Work(ascend + descend, entry_bytes * (ascend + descend + cells.node_count))


def _sizes(cells: Dissection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of nodes in separator and border of each cell, int64 [c]."""
    return np.diff(cells.offsets).astype(np.int64), np.diff(cells.border_offsets)


@dataclass(frozen=True, slots=True)
class Limits:
    """The measured limits of a device: bytes copied, and additions with a minimum made, a second."""

    bytes_a_second: float
    additions_a_second: float


@dataclass(frozen=True, slots=True)
class Times:
    """The milliseconds of one stage by one program on one device.

    ``detail`` says how, for instance "1,024 at once". Where only a part was run, ``part`` says which, and ``scale`` is
    how many times as long the whole takes. ``work`` is what the stage has to do at least; ``limits``, which
    ``tools/hardware_limits.py`` measures, are what the device reaches.
    """

    stage: Stage
    program: str
    device: str
    device_name: str
    runs_ms: tuple[float, ...]
    detail: str = ""
    part: str = ""
    scale: float = 1.0
    work: Work | None = None
    limits: Limits | None = None

    @property
    def median_ms(self) -> float:
        """The median, for the whole."""
        return statistics.median(self.runs_ms) * self.scale

    @property
    def time_ms(self) -> dict[str, Any]:
        """The median, the least and the most, for the whole, and how many runs there were."""
        return time_figures(self.runs_ms, self.scale)

    @property
    def shares(self) -> tuple[float, float] | None:
        """Which shares of the limits the median reaches, of bytes and of additions; None where no work is known."""
        if self.work is None or self.limits is None:
            return None
        seconds = self.median_ms / 1e3
        return (
            self.work.bytes_moved / seconds / self.limits.bytes_a_second,
            self.work.additions / seconds / self.limits.additions_a_second,
        )

    def record(self) -> dict[str, Any]:
        """Return the times as plain values, with the shares of the limits that the median reaches."""
        row: dict[str, Any] = {
            "stage": self.stage.value,
            "program": self.program,
            "device": self.device,
            "device_name": self.device_name,
            "detail": self.detail,
            "time_ms": self.time_ms,
            "runs_ms": list(self.runs_ms),
            "part": self.part,
            "scale": self.scale,
        }
        if self.work is not None:
            row |= {"bytes": self.work.bytes_moved, "additions": self.work.additions}
        if self.shares is not None and self.limits is not None:
            row |= {"bytes_share": self.shares[0], "additions_share": self.shares[1], "limits": asdict(self.limits)}
        return row


@dataclass(frozen=True, slots=True)
class TreeBenchmark:
    """What was found on one network: its size and cut, the sources, times, and what was left out and why.

    ``cut`` is empty where the network was not cut.
    """

    network: Mapping[str, Any]
    cut: Mapping[str, Any]
    sources: int
    times: tuple[Times, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    machine: Mapping[str, str] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "network": dict(self.network),
            "cut": dict(self.cut),
            "sources": self.sources,
            "rows": [one.record() for one in self.times],
            "left_out": [{"program": program, "why": why} for program, why in self.left_out],
            "machine": dict(self.machine),
        }


def read_benchmarks(path: str | Path) -> list[TreeBenchmark]:
    """Return what was measured before and written as JSON. Raises ``FormatError`` for a file that is none of ours."""

    def read(recorded: Any) -> list[TreeBenchmark]:
        return [_benchmark(one) for one in recorded["benchmarks"]]

    return read_results(path, LONGEST_FILE, "wayfront benchmark trees", read)


def _benchmark(record: dict[str, Any]) -> TreeBenchmark:
    network, cut = record["network"], record["cut"]
    return TreeBenchmark(
        {key: text_of(network[key]) for key in ("name", "metric", "unit")}
        | {key: int(network[key]) for key in ("nodes", "arcs")},
        _cut(cut),
        int(record["sources"]),
        tuple(_times(row) for row in record["rows"]),
        tuple((text_of(one["program"]), text_of(one["why"])) for one in record["left_out"]),
        {text_of(key): text_of(value) for key, value in record["machine"].items()},
    )


def _cut(record: dict[str, Any]) -> dict[str, Any]:
    if not record:
        return {}
    return {"method": text_of(record["method"])} | {
        key: int(record[key]) for key in ("cells", "levels", "largest_front")
    }


def _times(row: dict[str, Any]) -> Times:
    work, limits = None, None
    if "bytes" in row:
        work = Work(float(row["additions"]), float(row["bytes"]))
    if "limits" in row:
        limits = Limits(*(_positive(row["limits"][key]) for key in ("bytes_a_second", "additions_a_second")))
    program, device, name, detail, part = (
        text_of(row[key]) for key in ("program", "device", "device_name", "detail", "part")
    )
    runs = tuple(_positive(ms) for ms in row["runs_ms"])
    if not runs:
        raise ValueError("times without runs")
    return Times(Stage(row["stage"]), program, device, name, runs, detail, part, _positive(row["scale"]), work, limits)


def _positive(value: Any) -> float:
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError("not a positive number")
    return number
