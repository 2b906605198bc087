"""Boost's searches: compiled once into the private cache, checked, left out in a line where something is missing.

A stand-in for the compiler "compiles" a Python program that keeps to the same protocol, so that no compiler is needed.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from wayfront import open_network, search
from wayfront.papers import boost
from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Table
from wayfront.papers.reproduction import Request, reproduce
from wayfront.papers.table_run import Deadline
from wayfront.safe.errors import SearchCancelled

SEARCHES = """#!{python}
import heapq, struct, sys, time
name, network, runs, out = sys.argv[1:]
data = open(network, "rb").read()
n, m, source = struct.unpack_from("<3q", data)
offsets = struct.unpack_from(f"<{{n + 1}}q", data, 24)
targets = struct.unpack_from(f"<{{m}}i", data, 24 + 8 * (n + 1))
weights = struct.unpack_from(f"<{{m}}i", data, 24 + 8 * (n + 1) + 4 * m)
distances, heap = [-1] * n, [(0, source)]
while heap:
    distance, node = heapq.heappop(heap)
    if distances[node] < 0:
        distances[node] = distance
        for arc in range(offsets[node], offsets[node + 1]):
            heapq.heappush(heap, (distance + weights[arc], targets[arc]))
{alter}
for run in range(int(runs)):
    print(1.5 + run)
open(out, "wb").write(struct.pack(f"<{{n}}q", *distances))
"""
COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then echo stand-in; exit 0; fi
echo "$@" >> "{log}"
{work}
"""
COPY = 'for last; do :; done; cp "{program}" "$last"; chmod 700 "$last"'
NO_HEADERS = 'echo "x.cpp:16:10: fatal error: boost/graph/x.hpp: No such file or directory" >&2; exit 1'


class Compilers:
    """Puts a stand-in on the search path."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.log, self.program = folder / "bin", folder / "log", folder / "program"
        self.folder.mkdir()
        monkeypatch.setenv("PATH", f"{self.folder}:/usr/bin:/bin")
        monkeypatch.setattr(boost, "_COMPILERS", ("stand-in-compiler",))

    def add(self, work: str, alter: str = "") -> None:
        self.program.write_text(SEARCHES.format(python=sys.executable, alter=alter), encoding="utf-8")
        path = self.folder / "stand-in-compiler"
        text = COMPILER.format(log=self.log, work=work.format(program=self.program))
        path.write_text(text, encoding="utf-8")
        path.chmod(0o700)


@pytest.fixture
def compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Compilers]:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    boost.program.cache_clear()
    yield Compilers(tmp_path, monkeypatch)
    boost.program.cache_clear()


def run(**request: Any) -> Comparison:
    contenders = tuple(Contender(name, name, on=Hardware.CPU) for name in (*boost.SEARCHES, "dijkstra"))
    table = Table("t", (Graph("sprand", "synthetic:sprand?n=300"),), contenders)
    paper = Paper("X", "a test", "somebody", "1999", "an abacus", (table,))
    (done,) = reproduce([paper], Request(("cpu",), runs=2, **request), Event())
    return done


def test_its_searches_are_compiled_once_and_stand_in_the_table(compilers: Compilers, tmp_path: Path) -> None:
    compilers.add(COPY)
    done = run()
    assert [(cell.label, cell.runs_ms[:2]) for cell in done.cells][:2] == [
        ("boost:dijkstra", (1.5, 2.5)),
        ("boost:bellman-ford", (1.5, 2.5)),
    ]
    assert done.cells[0].device_name == boost.NAME
    (command,) = compilers.log.read_text(encoding="utf-8").splitlines()
    assert "-O2" in command
    assert "boost_search.cpp" in command
    folder = tmp_path / "cache" / "boost"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    boost.program.cache_clear()
    assert boost.why_not() == ""
    assert len(compilers.log.read_text(encoding="utf-8").splitlines()) == 1, "found in the cache"


def test_wrong_distances_are_a_disagreement(compilers: Compilers) -> None:
    compilers.add(COPY, "distances[7] += 1")
    done = run()
    assert not done.cells
    assert "boost:dijkstra on cpu does not find the distances" in done.disagreement


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (None, "no C++ compiler was found (Debian: g++ and libboost-graph-dev)"),
        (NO_HEADERS, "its headers were not found (Debian: libboost-graph-dev)"),
        ("echo 'x.cpp:1: error: out of spirits' >&2; exit 1", "could not compile its searches (x.cpp:1: error: out of"),
    ],
)
def test_what_is_missing_is_said_in_a_line(work: str | None, why: str, compilers: Compilers) -> None:
    if work is not None:
        compilers.add(work)
    done = run()
    assert [cell.label for cell in done.cells] == ["dijkstra"]
    assert {one.label for one in done.skipped} == set(boost.SEARCHES)
    for one in done.skipped:
        assert why in one.why
        assert "\n" not in one.why


def test_a_program_that_fails_is_left_out(compilers: Compilers) -> None:
    compilers.add(COPY, "sys.exit('no more memory')")
    (one, _) = run().skipped
    assert one.why == "Boost's dijkstra failed: no more memory"


def test_a_search_can_be_stopped(compilers: Compilers) -> None:
    compilers.add(COPY, "time.sleep(60)")
    network = open_network("synthetic:ring?n=20")
    limit = Deadline(0.0, Event(), endless=False)
    limit.begin()
    with pytest.raises(SearchCancelled, match="takes longer than 0 s"):
        boost.BoostSearch(boost.DIJKSTRA, network, 0, network.metric()).run(1, limit.check)


def test_unreached_nodes_have_no_path(compilers: Compilers) -> None:
    compilers.add(COPY)
    network = open_network("synthetic:random?n=50&m=40")
    times, distances = boost.BoostSearch(boost.DIJKSTRA, network, 3, network.metric()).run(1)
    ours = search(network, 3, "dijkstra", "cpu", runs=0, trace_budget=None).distances
    assert times == (1.5,)
    assert np.array_equal(distances == boost.NO_PATH, ours == -1)
    assert (distances == boost.NO_PATH).any()
