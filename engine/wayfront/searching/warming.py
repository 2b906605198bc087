"""Compile beforehand what searches, readers and proofs need: tiny networks are searched in every way that compiles.

What is compiled depends on a search's options, on whether weights of 0 occur, on distances of 32 or 64 bits, on
whether steps are recorded and labels too, as on small graphs, and on whether several cores share a launch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wayfront.devices import DeviceInfo, describe_device
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.small_graphs import tiny_network
from wayfront.results.result import SearchKind
from wayfront.safe.options import Option, OptionValue
from wayfront.searching.all_pairs.call import all_pairs
from wayfront.searching.call import search
from wayfront.searching.prepared import compile_for
from wayfront.searching.registry import Algorithm, algorithms

_NODES = 260
"""More than a small graph has."""
_SHARED_SIDE = 150
"""Rows and columns of a grid whose launches several cores share."""
_WIDE = 2**31 - 1
_STREETS = b"""<osm version="0.6"><node id="1" lat="1" lon="1"/><node id="2" lat="1.001" lon="1"/>
<node id="3" lat="1.002" lon="1"/>
<way id="4"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="service"/></way></osm>"""


@dataclass(frozen=True, slots=True)
class Task:
    """Something that compiles: what it is called, and what to call."""

    name: str
    run: Callable[[threading.Event | None], object]


def search_tasks(device: str) -> Iterator[Task]:
    """Yield a task for each algorithm that runs on a device, with every choice of its options that compiles.

    One more is for prepared networks, whose weights change, and of which the window's live trees are.
    """
    info = describe_device(device)
    yield Task(f"prepared networks on {info.id}", lambda _cancel: _compile_dissection(info.id))
    for algorithm in algorithms():
        if algorithm.runs_on(info):
            yield Task(f"{algorithm.name} on {info.id}", partial(_search_in_every_way, algorithm, info))


def reader_tasks() -> Iterator[Task]:
    """Yield a task for each format of files whose reader compiles."""
    for name in ("network.gr", "network.osm"):
        yield Task(f"reading .{name.partition('.')[2]}", partial(_read, name))


def _compile_dissection(device: str) -> None:
    for zeros in (False, True):
        compile_for(device, zeros=zeros)


def _search_in_every_way(algorithm: Algorithm, info: DeviceInfo, cancel: threading.Event | None) -> None:
    """Search by one algorithm on one device in every way that compiles something else."""

    def run(network: RoadNetwork, **how: Any) -> None:
        given = {"runs": 0, "cancel": cancel, **how}
        if algorithm.kind is SearchKind.ALL_PAIRS:
            all_pairs(network, algorithm.name, info.id, sources=[0, 1], **given)
        else:
            target = 5 if algorithm.kind is SearchKind.ROUTE else None
            search(network, 0, algorithm.name, info.id, target=target, **given)

    plain = _ring(1)
    for network in (plain, tiny_network(zeros=False), _ring(0), _ring(_WIDE)):
        run(network, verify=True)
    for options in _choices(algorithm.options):
        run(plain, options=options)
    if info.threads > 1 and not algorithm.sequential and algorithm.kind is SearchKind.ONE_TREE:
        run(_grid(), threads=2)


def _read(name: str, cancel: threading.Event | None) -> None:
    from wayfront.formats.registry import save
    from wayfront.opening import OpeningOptions, OsmOptions, open_network

    with TemporaryDirectory(prefix="wayfront-") as folder:
        path = Path(folder) / name
        options = None
        if path.suffix == ".osm":
            path.write_bytes(_STREETS)
            options = OpeningOptions(osm=OsmOptions(simplify=True, largest_component=True))
        else:
            save(_ring(1), path)
        open_network(path, options, cache=False, cancel=cancel)


def _choices(options: tuple[Option, ...]) -> Iterator[dict[str, OptionValue]]:
    """Yield every value but the usual one of options that choose among few: these may choose between kernels."""
    for option in options:
        values = (True, False) if option.kind is bool else option.choices
        yield from ({option.name: value} for value in values if value != option.default)


def _ring(weight: int) -> RoadNetwork:
    """Return a ring of nodes on a circle, both ways, with arcs of one weight."""
    nodes = np.arange(_NODES)
    angle = nodes * (2 * np.pi / _NODES)
    return RoadNetwork.from_arcs(
        name="ring",
        node_count=_NODES,
        tails=np.concatenate([nodes, (nodes + 1) % _NODES]),
        heads=np.concatenate([(nodes + 1) % _NODES, nodes]),
        metrics=[Metric(name, "", 1, np.full(2 * _NODES, weight, np.int32)) for name in ("length", "travel time")],
        coordinates=np.round(np.stack([np.cos(angle), np.sin(angle)], 1) * 1e6).astype(np.int32),
    )


def _grid() -> RoadNetwork:
    from wayfront.synthetic import from_name

    return from_name(f"synthetic:grid?columns={_SHARED_SIDE}&rows={_SHARED_SIDE}")
