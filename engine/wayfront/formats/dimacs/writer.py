"""Write DIMACS files: arcs, with a file for each metric, and coordinates.

What was read from DIMACS files is written bit for bit. A DIMACS file numbers its nodes 1 … n, so other ids are
replaced by their rank, which a comment in the file says. The name of a file is all that says what its weights mean:
lengths go to ``NAME-d.gr``, travel times to ``NAME-t.gr``, as in the challenge.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.formats.dimacs.files import LENGTH, TRAVEL_TIME
from wayfront.formats.progress import Opening
from wayfront.formats.registry import split_compression
from wayfront.formats.writing import ROWS, origin_lines, write_compressed
from wayfront.network.road_network import Metric, RoadNetwork

_LETTERS = {(LENGTH, "m", 0.1): "-d", (TRAVEL_TIME, "", 1.0): "-t", (TRAVEL_TIME, "s", 0.001): "-t"}


def save_dimacs(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    """Write one ``.gr`` file for each metric and one ``.co`` file, and return them.

    Raises ``NetworkError`` for a network without nodes, ``OpenCancelled`` and ``WriteError``.
    """
    stem, packing = split_compression(path)
    base = path.with_name(stem[: -len(".gr")])
    for letter in ("-d", "-t"):
        base = base.with_name(base.name.removesuffix(letter))
    n, m = network.node_count, network.arc_count
    if not n:
        raise NetworkError(f"{network.name} has no nodes: a DIMACS file needs one")
    order, rank = network.id_order()
    comments = origin_lines(network)
    if not np.array_equal(network.node_ids[order], np.arange(1, n + 1)):
        comments.append("nodes are numbered by rising id of the file they are from")
    arcs = _arcs_by_tail(network, order)
    tails, heads = rank[network.tails()[arcs]] + 1, rank[network.targets[arcs]] + 1
    names = _names(network.metrics)
    share = 1 / (len(names) + (network.coordinates is not None))
    written = []
    for metric, name in zip(network.metrics, names, strict=True):
        opening.enter("writing arcs", share)
        path = base.with_name(f"{base.name}{name}.gr{packing}")
        lines = [*comments, f"{metric.name} in {metric.raw_unit}"]
        columns: tuple[NDArray[Any], ...] = (tails, heads, metric.weights[arcs])
        _write_lines(path, [*(f"c {line}" for line in lines), f"p sp {n} {m}"], "a %d %d %d\n", columns, opening)
        written.append(path)
    if network.coordinates is not None:
        opening.enter("writing coordinates", share)
        path = base.with_name(f"{base.name}{names[0]}.co{packing}")
        columns = (np.arange(1, n + 1), network.coordinates[order, 0], network.coordinates[order, 1])
        head = [*(f"c {line}" for line in comments), f"p aux sp co {n}"]
        _write_lines(path, head, "v %d %d %d\n", columns, opening)
        written.append(path)
    return written


def _names(metrics: Iterable[Metric]) -> list[str]:
    """Return what follows the network's name in the name of each metric's file."""
    names: list[str] = []
    for metric in metrics:
        name = _LETTERS.get((metric.name, metric.unit, metric.scale), "")
        names.append(name if name not in names else "." + metric.name.replace(" ", "-"))
    return names


def _arcs_by_tail(network: RoadNetwork, order: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the arcs sorted by tail in this order of nodes; arcs of one tail keep the network's order."""
    counts = network.out_degrees()[order].astype(np.int64)
    starts = network.offsets[:-1][order].astype(np.int64)
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(starts, counts) + within


def _write_lines(path: Path, head: list[str], form: str, columns: tuple[NDArray[Any], ...], opening: Opening) -> None:
    with write_compressed(path) as file:
        file.write("".join(f"{line}\n" for line in head).encode())
        for start in range(0, len(columns[0]), ROWS):
            opening.report(start / len(columns[0]))
            rows = np.column_stack([column[start : start + ROWS] for column in columns])
            file.write(((form * len(rows)) % tuple(rows.reshape(-1).tolist())).encode())
