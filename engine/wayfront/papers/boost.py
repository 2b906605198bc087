"""Run Boost's shortest-path searches on a network: paper B compares its own with them.

The small program ``boost_search.cpp`` beside this file is compiled once, with -O2, into the user's own cache folder,
if a C++ compiler and Boost's headers are found; else ``why_not`` says in one line what is missing. It runs as a process
of its own, so that its runs cannot take turns with ours.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Check, no_check
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import WayfrontError
from wayfront.safe.folders import cache_folder, make_private

DIJKSTRA, BELLMAN_FORD = "boost:dijkstra", "boost:bellman-ford"
"""The names of its two searches here."""

SEARCHES = (DIJKSTRA, BELLMAN_FORD)
NAME = "Boost Graph Library, one thread"
PACKAGE = "libboost-graph-dev"
NO_PATH = -1

_SOURCE = Path(__file__).with_name("boost_search.cpp")
_COMPILERS = ("c++", "g++", "clang++")
_FLAGS = ("-O2", "-std=c++17", "-DNDEBUG")
_COMPILING_S = 300.0
_LOOK_EVERY_S = 0.05


class BoostMissingError(WayfrontError):
    """Boost's searches cannot be run here; the text says what is missing."""


def why_not() -> str:
    """Return in one line why Boost's searches cannot be run here, or an empty string if they can."""
    try:
        program()
    except BoostMissingError as missing:
        return str(missing)
    return ""


@functools.cache
def program() -> Path:
    """Return the compiled program, compiling it where that was not done before. Raises ``BoostMissingError``."""
    compiler = _compiler()
    if compiler is None:
        raise BoostMissingError(f"Boost is left out: no C++ compiler was found (Debian: g++ and {PACKAGE})")
    version = _version(compiler)
    try:
        folder = make_private(cache_folder() / "boost")
    except OSError as problem:
        raise BoostMissingError(f"Boost is left out: its program cannot be kept in the cache ({problem})") from None
    key = hashlib.blake2b(digest_size=12)
    for part in (_SOURCE.read_bytes(), " ".join((compiler, *_FLAGS)).encode(), version):
        key.update(part)
    path = folder / f"boost_search-{key.hexdigest()}"
    if not path.is_file():
        _compile(compiler, path)
    return path


def _compiler() -> str | None:
    """Return a C++ compiler of the search path, whose relative folders are left out."""
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    found = (shutil.which(name, path=os.pathsep.join(folders)) for name in _COMPILERS)
    return next(filter(None, found), None)


def _version(compiler: str) -> bytes:
    try:
        return subprocess.run([compiler, "--version"], capture_output=True, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return b""


def _compile(compiler: str, path: Path) -> None:
    """Compile the program to a name of its own first, so that it is there whole or not at all."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / "boost_search"
        command = [compiler, *_FLAGS, str(_SOURCE), "-o", str(made)]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=_COMPILING_S)
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise BoostMissingError(f"Boost is left out: {compiler} could not be run ({problem})") from None
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", "replace").splitlines()
            error = next((line for line in lines if "error" in line), f"exit code {done.returncode}")
            if "boost/" in error:
                raise BoostMissingError(f"Boost is left out: its headers were not found (Debian: {PACKAGE})")
            raise BoostMissingError(f"Boost is left out: {compiler} could not compile its searches ({error.strip()})")
        made.replace(path)


class BoostSearch:
    """One of Boost's searches on one network, from one source (an internal node number)."""

    def __init__(self, name: str, network: RoadNetwork, source: int, metric: Metric) -> None:
        self._name = name.partition(":")[2]
        self._network, self._source, self._metric = network, source, metric

    def run(self, runs: int, check: Check = no_check) -> tuple[tuple[float, ...], NDArray[np.int64]]:
        """Return the milliseconds of each run, and the distances: int64 [n], -1 where there is no path.

        ``check`` is called now and then and may raise; the process is then ended. Raises ``BoostMissingError`` where
        the program cannot be had or fails.
        """
        path = program()
        with tempfile.TemporaryDirectory() as folder:
            network, distances = Path(folder) / "network", Path(folder) / "distances"
            self._write(network)
            command = [str(path), self._name, str(network), str(runs), str(distances)]
            with _running(command) as process:
                while process.poll() is None:
                    check()
                    time.sleep(_LOOK_EVERY_S)
                printed, errors = process.communicate()
            if process.returncode != 0:
                raise BoostMissingError(f"Boost's {self._name} failed: {errors.strip() or process.returncode}")
            found = np.fromfile(distances, np.int64)
        return tuple(float(line) for line in printed.split()), found

    def _write(self, path: Path) -> None:
        network = self._network
        with path.open("wb") as file:
            for array, dtype in (
                (np.array([network.node_count, network.arc_count, self._source]), np.int64),
                (network.offsets, np.int64),
                (network.targets, np.int32),
                (self._metric.weights, np.int32),
            ):
                np.ascontiguousarray(array, dtype).tofile(file)


@contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Run a process; end it where the work is left early."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
