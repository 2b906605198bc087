"""Save any network for other programs: DIMACS files (arcs, coordinates), GraphML that OSMnx reads, or ``.wayfront``.

What was read from DIMACS files comes back from what is saved bit for bit. A DIMACS file numbers its nodes 1 … n, so
other ids are replaced by their rank, which a comment in the file tells. The name of a file is all that says what a
DIMACS file's weights mean: lengths go to ``NAME-d.gr``, travel times to ``NAME-t.gr``, as the challenge has it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import IO, Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError, OptionError
from wayfront.files import write_whole
from wayfront.formats.dimacs.files import LENGTH, TRAVEL_TIME
from wayfront.formats.native import save_network
from wayfront.formats.osm.assembly import great_circle_m
from wayfront.formats.progress import Opening, ProgressCallback
from wayfront.network.road_network import Metric, RoadNetwork

_ROWS = 1 << 16
"""Lines that are written at once."""

_COMPRESSIONS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_LETTERS = {(LENGTH, "m", 0.1): "-d", (TRAVEL_TIME, "", 1.0): "-t", (TRAVEL_TIME, "s", 0.001): "-t"}
_HIGHWAYS = ("residential", "secondary", "primary", "motorway")
"""What stands for each road class in GraphML, where the class is all that is known."""


def save(
    network: RoadNetwork,
    path: str | Path,
    *,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> list[Path]:
    """Save a network in the format that the path's suffix names, and return the files that were written.

    ``.gr`` (also ``.gr.gz``, ``.bz2``, ``.xz``) is DIMACS, with a file for each metric and one for coordinates;
    ``.graphml`` is OSMnx's; ``.wayfront`` is this program's own. Each file appears whole or not at all. Raises
    ``OptionError`` for another suffix, ``NetworkError``, ``OpenCancelled`` and ``WriteError``.
    """
    path = Path(path)
    packing = path.suffix.lower() if path.suffix.lower() in _COMPRESSIONS else ""
    stem = path.name[: len(path.name) - len(packing)]
    opening = Opening(progress, cancel)
    if stem.lower().endswith(".gr"):
        written = _save_dimacs(network, path.with_name(stem[:-3]), packing, opening)
    elif stem.lower().endswith(".graphml"):
        opening.enter("writing the graph", 1.0)
        _save_graphml(network, path, opening)
        written = [path]
    elif stem.lower().endswith(".wayfront") and not packing:
        opening.enter("writing the network", 1.0)
        save_network(network, path)
        written = [path]
    else:
        raise OptionError(f"{path.name}: networks are saved as .gr (DIMACS), .graphml (OSMnx) or .wayfront")
    opening.finish()
    return written


# -------------------------------------------------------------------------------------------------- DIMACS


def _save_dimacs(network: RoadNetwork, base: Path, packing: str, opening: Opening) -> list[Path]:
    for letter in ("-d", "-t"):
        base = base.with_name(base.name.removesuffix(letter))
    n, m = network.node_count, network.arc_count
    if not n:
        raise NetworkError(f"{network.name} has no nodes: a DIMACS file needs one")
    order, rank = network.id_order()
    told = _told(network)
    if not np.array_equal(network.node_ids[order], np.arange(1, n + 1)):
        told.append("nodes are numbered by rising id of the file they are from")
    arcs = _arcs_by_tail(network, order)
    tails, heads = rank[network.tails()[arcs]] + 1, rank[network.targets[arcs]] + 1
    names = _names(network.metrics)
    share = 1 / (len(names) + (network.coordinates is not None))
    written = []
    for metric, name in zip(network.metrics, names, strict=True):
        opening.enter("writing arcs", share)
        path = base.with_name(f"{base.name}{name}.gr{packing}")
        lines = [*told, f"{metric.name} in {metric.raw_unit}"]
        columns: tuple[NDArray[Any], ...] = (tails, heads, metric.weights[arcs])
        _write_lines(path, [*(f"c {line}" for line in lines), f"p sp {n} {m}"], "a %d %d %d\n", columns, opening)
        written.append(path)
    if network.coordinates is not None:
        opening.enter("writing coordinates", share)
        path = base.with_name(f"{base.name}{names[0]}.co{packing}")
        columns = (np.arange(1, n + 1), network.coordinates[order, 0], network.coordinates[order, 1])
        head = [*(f"c {line}" for line in told), f"p aux sp co {n}"]
        _write_lines(path, head, "v %d %d %d\n", columns, opening)
        written.append(path)
    return written


def _names(metrics: Iterable[Metric]) -> list[str]:
    """Return what each metric's file is called behind the network's name."""
    names: list[str] = []
    for metric in metrics:
        name = _LETTERS.get((metric.name, metric.unit, metric.scale), "")
        names.append(name if name not in names else "." + metric.name.replace(" ", "-"))
    return names


def _told(network: RoadNetwork) -> list[str]:
    """Return what a file says of itself, without line feeds."""
    told = [f"{network.name}, saved by wayfront"]
    told += [f"{network.attribution} {network.data_date}".strip()] if network.attribution else []
    return [" ".join(line.split()) for line in told]


def _arcs_by_tail(network: RoadNetwork, order: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the arcs node by node in this order of nodes, each node's in the network's order."""
    counts = network.out_degrees()[order].astype(np.int64)
    starts = network.offsets[:-1][order].astype(np.int64)
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(starts, counts) + within


def _write_lines(path: Path, head: list[str], form: str, columns: tuple[NDArray[Any], ...], opening: Opening) -> None:
    with _whole(path) as file:
        file.write("".join(f"{line}\n" for line in head).encode())
        for start in range(0, len(columns[0]), _ROWS):
            opening.report(start / len(columns[0]))
            rows = np.column_stack([column[start : start + _ROWS] for column in columns])
            file.write(((form * len(rows)) % tuple(rows.reshape(-1).tolist())).encode())


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that takes its place, packed as its name says, only when all is written."""
    opener = _COMPRESSIONS.get(path.suffix.lower())
    with write_whole(path) as plain:
        if opener is None:
            yield plain
        else:
            with opener(plain, "wb") as packed:
                yield packed


# ------------------------------------------------------------------------------------------------- GraphML

_KEYS = (
    ("d0", "graph", "crs"),
    ("d1", "node", "x"),
    ("d2", "node", "y"),
    ("d3", "edge", "osmid"),
    ("d4", "edge", "length"),
    ("d5", "edge", "travel_time"),
    ("d6", "edge", "highway"),
    ("d7", "edge", "name"),
    ("d8", "edge", "geometry"),
    ("d9", "graph", "name"),
)
_KEY_OF = {name: key for key, where, name in _KEYS if where == "edge"}


def _save_graphml(network: RoadNetwork, path: Path, opening: Opening) -> None:
    """Write what ``osmnx.load_graphml`` reads: x and y of nodes, length of edges in metres.

    OSMnx insists on an ``osmid`` for every edge; the ways' own are not kept, so it is the arc's number.
    """
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, without which OSMnx reads no graph")
    ids, degrees = network.node_ids.tolist(), (network.coordinates / 1e6).tolist()
    with _whole(path) as file:
        file.write(_graphml_head(network).encode())
        for start in range(0, len(ids), _ROWS):
            opening.report(0.3 * start / len(ids))
            part = zip(ids[start : start + _ROWS], degrees[start : start + _ROWS], strict=True)
            lines = (_NODE % (node, x, y) for node, (x, y) in part)
            file.write("".join(lines).encode())
        columns = _edge_columns(network)
        for start in range(0, network.arc_count, _ROWS):
            opening.report(0.3 + 0.7 * start / network.arc_count)
            arcs = range(start, min(start + _ROWS, network.arc_count))
            file.write("".join(_edge(network, ids, columns, arc) for arc in arcs).encode("utf-8", "replace"))
        file.write(b"</graph></graphml>\n")


_NODE = '<node id="%d"><data key="d1">%.6f</data><data key="d2">%.6f</data></node>\n'


def _graphml_head(network: RoadNetwork) -> str:
    keys = "".join(
        f'<key id="{key}" for="{where}" attr.name="{name}" attr.type="string"/>\n' for key, where, name in _KEYS
    )
    told = "; ".join(_told(network)).replace("--", "- -")
    return (
        "<?xml version='1.0' encoding='utf-8'?>\n"
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n<!-- {told} -->\n{keys}'
        f'<graph edgedefault="directed">\n<data key="d0">epsg:4326</data><data key="d9">{_text(network.name)}</data>\n'
    )


def _edge_columns(network: RoadNetwork) -> dict[str, NDArray[Any]]:
    """Return per arc: its ends, which of several parallel ones it is, its length and travel time in OSMnx's units."""
    tails, targets, metrics = network.tails(), network.targets, {metric.name: metric for metric in network.metrics}
    order = np.lexsort((targets, tails))
    new = np.ones(len(order), bool)
    new[1:] = (tails[order][1:] != tails[order][:-1]) | (targets[order][1:] != targets[order][:-1])
    place = np.arange(len(order))
    twin = np.empty(len(order), np.int64)
    twin[order] = place - np.maximum.accumulate(np.where(new, place, 0))
    columns: dict[str, NDArray[Any]] = {"tail": tails, "head": targets, "twin": twin}
    length, time = metrics.get(LENGTH), metrics.get(TRAVEL_TIME)
    if length is not None and length.unit == "m":
        columns["length"] = length.weights * length.scale
    else:
        assert network.coordinates is not None
        degrees = network.coordinates / 1e6
        columns["length"] = great_circle_m(degrees[tails], degrees[targets])
    if time is not None and time.unit == "s":
        columns["travel_time"] = time.weights * time.scale
    return columns


def _edge(network: RoadNetwork, ids: list[int], columns: dict[str, NDArray[Any]], arc: int) -> str:
    values = {"osmid": str(arc), "length": f"{columns['length'][arc]:.3f}"}
    if "travel_time" in columns:
        values["travel_time"] = f"{columns['travel_time'][arc]:.3f}"
    if network.road_class is not None:
        values["highway"] = _HIGHWAYS[network.road_class[arc]]
    if network.road_names is not None:
        values["name"] = network.road_names.name(arc)
    tail, head = int(columns["tail"][arc]), int(columns["head"][arc])
    if network.shapes is not None and len(inner := network.shapes.of(arc)):
        assert network.coordinates is not None
        points = (network.coordinates[tail], *inner, network.coordinates[head])
        values["geometry"] = "LINESTRING (" + ", ".join(f"{x / 1e6:.6f} {y / 1e6:.6f}" for x, y in points) + ")"
    data = "".join(f'<data key="{_KEY_OF[name]}">{_text(value)}</data>' for name, value in values.items() if value)
    return f'<edge source="{ids[tail]}" target="{ids[head]}" id="{columns["twin"][arc]}">{data}</edge>\n'


def _text(value: str) -> str:
    """Return a text as XML, without the control characters that it cannot hold."""
    return escape("".join(character for character in value if character >= " "))
