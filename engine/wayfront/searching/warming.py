"""Compile beforehand what searches, readers and proofs need: tiny networks are searched in every way that compiles.

What is compiled depends on a search's options, on whether weights of 0 occur, on distances of 32 or 64 bits, on
whether steps are recorded and labels too, as on small graphs, and on whether several cores share a launch.
"""

from __future__ import annotations

import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from wayfront.devices import DeviceInfo, describe_device
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.engine import CLOSED
from wayfront.dissection.host.flows import FlowsUnderClosures
from wayfront.formats.streams import ProgressCallback
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.small_graphs import tiny_network
from wayfront.results.result import SearchKind
from wayfront.safe.errors import SearchCancelled
from wayfront.safe.memory import available_bytes
from wayfront.safe.options import Option, OptionValue
from wayfront.searching.all_pairs.call import all_pairs
from wayfront.searching.call import search
from wayfront.searching.prepared import compile_for
from wayfront.searching.registry import Algorithm, algorithms
from wayfront.timing.harness import usable_cores

_NODES = 260
"""More than a small graph has."""
_REMEMBERED_NODES = 6_000
"""So many that flows are remembered of most of a ring's regions: of a smaller one all are found anew."""
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


Tasks = Callable[[], Sequence[Task]]
"""A function of a module, or a ``partial`` of one, that returns the same tasks in each process."""
MOST_JOBS = 8
JOB_BYTES = 1 << 30
"""How many processes compile at most; what one takes, on a card too."""


def jobs_at_once() -> int:
    """Return how many processes compile at once where nobody says: one a core, and as many as memory is free for."""
    return max(1, min(usable_cores(), MOST_JOBS, available_bytes() // JOB_BYTES))


def compile_all(
    tasks: Tasks, jobs: int, *, progress: ProgressCallback | None = None, cancel: threading.Event | None = None
) -> dict[str, float]:
    """Run all tasks in so many processes at once, and return the seconds of each, by its name.

    A task whose process ended, as for want of memory, is run here. Raises ``SearchCancelled`` once what is being
    compiled is done, and whatever a task raises.
    """
    report = progress or (lambda _stage, _share: None)
    here, seconds = tasks(), dict[str, float]()
    if jobs > 1:
        with suppress(BrokenProcessPool):
            _compile_side_by_side(tasks, [task.name for task in here], jobs, seconds, report, cancel)
    for task in here:
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("stopped")
        if task.name not in seconds:
            report(f"compiling {len(seconds) + 1} of {len(here)}: {task.name}", len(seconds) / len(here))
            seconds[task.name] = _run(task, cancel)
    return {task.name: seconds[task.name] for task in here}


def _compile_side_by_side(
    tasks: Tasks,
    names: Sequence[str],
    jobs: int,
    seconds: dict[str, float],
    report: ProgressCallback,
    cancel: threading.Event | None,
) -> None:
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin_job) as pool:
        asked = {pool.submit(_run_in_job, tasks, number): name for number, name in enumerate(names)}
        report(f"compiling {len(names)} parts in {jobs} processes", 0.0)
        for done in as_completed(asked):
            with suppress(CancelledError):
                seconds[asked[done]] = done.result()
                report(f"compiled {len(seconds)} of {len(names)}: {asked[done]}", len(seconds) / len(names))
            if cancel is not None and cancel.is_set():
                pool.shutdown(wait=False, cancel_futures=True)


def _begin_job() -> None:
    """Leave Ctrl-C to the process that asked; it waits until the kernels that are being compiled are kept."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_known: dict[bytes, Sequence[Task]] = {}
"""The tasks of this process, made once, by how their function is pickled."""


def _run_in_job(tasks: Tasks, number: int) -> float:
    described = pickle.dumps(tasks)
    if described not in _known:
        _known[described] = tasks()
    return _run(_known[described][number], None)


def _run(task: Task, cancel: threading.Event | None) -> float:
    """Run a task, and return its seconds."""
    begin = time.perf_counter()
    task.run(cancel)
    return time.perf_counter() - begin


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


def flow_tasks() -> Iterator[Task]:
    """Yield a task for flows of one path a pair, and those after a road is closed, which the window shows at once."""
    yield Task("flows while roads are closed", lambda _cancel: _compile_flows())


def _compile_flows() -> None:
    ring = _ring(1, _REMEMBERED_NODES)
    weights = ring.metrics[0].weights.copy()
    under = FlowsUnderClosures.of(dissect(ring), ring, weights)
    assert under is not None
    weights[0] = CLOSED
    under.after(weights)


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


def _ring(weight: int, node_count: int = _NODES) -> RoadNetwork:
    """Return a ring of nodes on a circle, both ways, with arcs of one weight."""
    nodes = np.arange(node_count)
    angle = nodes * (2 * np.pi / node_count)
    return RoadNetwork.from_arcs(
        name="ring",
        node_count=node_count,
        tails=np.concatenate([nodes, (nodes + 1) % node_count]),
        heads=np.concatenate([(nodes + 1) % node_count, nodes]),
        metrics=[Metric(name, "", 1, np.full(2 * node_count, weight, np.int32)) for name in ("length", "travel time")],
        coordinates=np.round(np.stack([np.cos(angle), np.sin(angle)], 1) * 1e6).astype(np.int32),
    )


def _grid() -> RoadNetwork:
    from wayfront.synthetic import from_name

    return from_name(f"synthetic:grid?columns={_SHARED_SIDE}&rows={_SHARED_SIDE}")
