"""Write an edge list: a table of arcs, and one of nodes beside it, from which the same network is read again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from wayfront.errors import NetworkError
from wayfront.formats.edge_list.columns import COMMENT, metric_title, title_of_metric
from wayfront.formats.edge_list.files import nodes_of
from wayfront.formats.progress import Opening
from wayfront.formats.writing import ROWS, origin_lines, write_compressed
from wayfront.network.drawing import UNIT, is_drawing
from wayfront.network.road_network import RoadNetwork

_DEGREE = 1_000_000


def save_edge_list(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    """Write the tables of arcs and of nodes, and return both files.

    Shapes, classes and names of roads are no part of them. Both appear whole or not at all. Raises ``NetworkError`` for
    a network without nodes or with a name of a metric or a node that a table cannot hold, ``OpenCancelled`` and
    ``WriteError``.
    """
    if not network.node_count:
        raise NetworkError(f"{network.name} has no nodes: an edge list needs one")
    titles = [title_of_metric(m.name, m.unit, m.scale) for m in network.metrics]
    for metric, title in zip(network.metrics, titles, strict=True):
        if metric_title(title) != (metric.name, metric.unit, metric.scale):
            raise NetworkError(f"the metric {metric.name!r} has a name or unit that no table can hold")
    called = _called(network)
    beside = nodes_of(path)
    comments = origin_lines(network) if network.attribution else []
    with ExitStack() as files:  # neither takes its place before both are complete
        for target, stage, rows in (
            (beside, "writing nodes", _node_rows(network, called)),
            (path, "writing arcs", _arc_rows(network, titles, called)),
        ):
            opening.enter(stage, 0.5)
            file = files.enter_context(write_compressed(target))
            file.write("".join(f"{COMMENT} {line}\n" for line in comments).encode())
            for text in _texts(rows):
                opening.report(0.0)
                file.write(text)
    return [path, beside]


def _called(network: RoadNetwork) -> Sequence[str]:
    """Return what the tables call each node: its name where names say all that ids say, else its id."""
    if network.node_names is not None:
        names = network.node_names.names
        in_order = np.array_equal(network.node_ids, np.arange(1, network.node_count + 1))
        told_apart = all(names) and len(set(names)) == len(names) and not any(n.startswith(COMMENT) for n in names)
        if in_order and told_apart and not all(map(_is_whole, names)):
            return names
    return [str(number) for number in network.node_ids.tolist()]


def _is_whole(name: str) -> bool:
    return name.isascii() and name.removeprefix("-").isdigit()


def _node_rows(network: RoadNetwork, called: Sequence[str]) -> Iterator[list[str]]:
    """Yield the titles and a line for each node."""
    named = network.node_names is not None and called is not network.node_names.names
    titles, columns = ["node"], [called]
    if named and network.node_names is not None:
        titles.append("name")
        columns.append(network.node_names.names)
    if network.coordinates is not None:
        drawn = is_drawing(network)
        titles += ["x", "y"] if drawn else ["longitude", "latitude"]
        unit = UNIT if drawn else _DEGREE
        columns += [[_decimal(value, unit) for value in axis] for axis in network.coordinates.T.tolist()]
    yield titles
    yield from (list(row) for row in zip(*columns, strict=True))


def _decimal(value: int, unit: int) -> str:
    """Return a whole number of parts of a unit, a power of ten, as an exact decimal."""
    whole, part = divmod(abs(value), unit)
    digits = f"{part:0{len(str(unit)) - 1}}".rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}{'.' if digits else ''}{digits}"


def _arc_rows(network: RoadNetwork, titles: list[str], called: Sequence[str]) -> Iterator[list[str]]:
    """Yield the titles and a line for each arc."""
    yield ["tail", "head", *titles]
    tails = network.tails()
    for begin in range(0, network.arc_count, ROWS):
        part = slice(begin, begin + ROWS)
        ends = ([called[node] for node in nodes[part].tolist()] for nodes in (tails, network.targets))
        weights = (map(str, metric.weights[part].tolist()) for metric in network.metrics)
        yield from (list(row) for row in zip(*ends, *weights, strict=True))


def _texts(rows: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield the lines of rows as text, many at a time."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for number, row in enumerate(rows, 1):
        writer.writerow(row)
        if number % ROWS == 0:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()
