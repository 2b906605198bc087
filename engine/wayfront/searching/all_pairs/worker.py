"""What a worker of a Dask scheduler does: search from some of the sources, on the device of its process.

The environment variable ``WAYFRONT_DEVICE`` names that device, such as ``cuda:1``, where the search's own choice is not
to be taken. Networks stay in the process, with all that is derived of them, so that one is customised once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection
from wayfront.dissection.store import dissection_of, keep_dissection
from wayfront.network.arcs import checked_arcs, facing, without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.plugins.loading import SentFile, take_file
from wayfront.results.matrix_files import MATRIX, SUMMARY, MatrixLabels, kept_rows
from wayfront.results.pairs import PairsResult
from wayfront.safe.errors import (
    CertificateError,
    DeviceError,
    NetworkError,
    OptionError,
    WayfrontError,
)
from wayfront.safe.options import AUTO
from wayfront.searching.all_pairs.driving import AllPairs, search_pairs
from wayfront.searching.execution import execute
from wayfront.searching.registry import algorithms
from wayfront.searching.run import SearchOptions
from wayfront.sources import cache

DEVICE_VARIABLE = "WAYFRONT_DEVICE"

_PASSED_ON = (CertificateError, NetworkError, OptionError, DeviceError)
"""Errors that a process can send to another one as they are."""

_networks: dict[str, RoadNetwork] = {}


class Wants(Protocol):
    """What the tasks of all kinds say of the network."""

    @property
    def content_key(self) -> str:
        """The network's content key."""
        ...

    @property
    def wants_cut(self) -> bool:
        """Whether a worker shall have the network's cut from here, and not make one of its own."""
        ...


class Task(NamedTuple):
    """What is the same for all chunks of a search.

    ``wants_cut`` says that a worker shall have the network's cut from here, and not make one of its own. ``plugin`` is
    the file that declares the algorithm, where that is a plug-in's.
    """

    content_key: str
    asked: SearchOptions
    keeps_rows: bool
    wants_cut: bool
    plugin: SentFile | None = None


class Missing(NamedTuple):
    """The answer of a worker that has not got the network or its cut: its address."""

    worker: str


class ChunkFound(NamedTuple):
    """What was found of some sources: ``figures`` are eccentricity, farthest node, total and reached."""

    figures: tuple[NDArray[Any], ...]
    rows: NDArray[Any] | None
    algorithm: str
    device: str
    device_name: str
    device_bytes: int | None
    proved: int
    compared: int
    prepare_ms: Mapping[str, float]
    machine: Mapping[str, str]
    worker: str


def holds(task: Wants) -> bool:
    """Return whether this process has a task's network, or finds it in its cache, and the cut that it wants."""
    network = _find(task.content_key)
    return network is not None and (not task.wants_cut or dissection_of(network, only_kept=True) is not None)


def take_network(network: RoadNetwork, cells: Dissection | None) -> None:
    """Keep a network, and the cut that belongs to it where there is one."""
    _networks.setdefault(network.content_key, network)
    if cells is not None:
        keep_dissection(_networks[network.content_key], cells)


def network_of(task: Wants) -> RoadNetwork:
    """Return the network of a task, which this process ``holds``."""
    return _networks[task.content_key]


@contextmanager
def sent_as_they_are() -> Iterator[None]:
    """Turn errors that no other process can read into ``DeviceError``."""
    try:
        yield
    except WayfrontError as problem:
        if type(problem) in _PASSED_ON:
            raise
        raise DeviceError(str(problem)) from None


def _find(content_key: str) -> RoadNetwork | None:
    if content_key not in _networks:
        found = cache.find(content_key)
        if found is None:
            return None
        _networks[content_key] = found
    return _networks[content_key]


def find_chunk(task: Task, sources: NDArray[np.int32]) -> ChunkFound | Missing:
    """Search from some sources. Raises what ``all_pairs`` raises, as an error that other processes can read."""
    from distributed import get_worker

    worker = get_worker().address
    if not holds(task):
        return Missing(worker)
    with sent_as_they_are():
        _know_algorithm(task, worker)
        result = _search(task, network_of(task), sources)
    figures = result.figures
    return ChunkFound(
        (figures.eccentricity, figures.farthest, figures.total, figures.reached),
        result.matrix,
        result.algorithm,
        result.device,
        result.device_name,
        result.device_bytes,
        result.proved,
        result.compared,
        dict(result.timing.prepare_ms),
        dict(result.timing.machine),
        worker,
    )


def _know_algorithm(task: Task, worker: str) -> None:
    """Load the plug-in that declares the algorithm. Raises ``PluginError``, and ``OptionError`` for an unknown one."""
    if task.plugin is not None:
        take_file(task.plugin)
    algorithm = task.asked.algorithm
    if algorithm != AUTO and algorithm not in {each.name for each in algorithms()}:
        raise OptionError(
            f"the worker at {worker} does not know the algorithm {algorithm!r}: install the package that declares "
            "it there too, or declare it in a file and name that with --plugin"
        )


def _search(task: Task, network: RoadNetwork, sources: NDArray[np.int32]) -> PairsResult:
    """Search as ``all_pairs`` does, from sources that it checked, with neither trace, checkpoint nor clean runs."""
    asked = replace(task.asked, device=os.environ.get(DEVICE_VARIABLE, task.asked.device))
    searched = without_arcs(*facing(network, checked_arcs(network, asked.closures), reverse=asked.reverse))
    measured = searched.metric(asked.metric)
    rows = kept_rows(MATRIX if task.keeps_rows else SUMMARY, MatrixLabels(network, measured, sources, asked.reverse))
    procedure = AllPairs(searched, measured, sources, rows, None, verify=asked.verify)
    return execute(procedure, network, asked, search_pairs)
