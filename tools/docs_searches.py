"""Searches that play in the documentation: one for each algorithm, nine side by side, and a city to drag in.

What needs a card is recorded by Numba's simulator on a small graph, in a process of its own, which this file is too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html import escape

import wayfront
from wayfront.opening import open_network
from wayfront.results.result import SearchKind
from wayfront.safe.errors import DeviceError, MissingPackageError
from wayfront.searching.registry import algorithms
from wayfront.searching.result_file import load_trace
from wayfront_gui.resources import BUNDLED, RECORDED, asset

CITY = "city"
NINE = "nine-searches"
SMALL = "synthetic:city?nodes=2000"
"""The network of algorithms: a page takes 0.2 MB, and its search a moment to record."""
SIDE_BY_SIDE = (
    *("dijkstra", "dijkstra-heap", "bidirectional", "a-star", "bellman-ford", "bellman-ford-queue"),
    *("delta-stepping", "near-far", "dissection"),
)


SIMULATED: Mapping[str, Mapping[str, int]] = {"near-far-resident": {}, "regions": {"window": 400}}
"""Searches that only a card runs, and their options on ``GRID``: they have some steps to see there."""
GRID = "synthetic:grid?columns=7&rows=3"
ONE_OF_MANY: Mapping[str, str] = {
    "dijkstra-in-turn": "dijkstra-heap",
    "dissection-all-pairs": "dissection",
    "relax-update-in-turn": "relax-update",
    "heap-apsp": "dijkstra-heap",
    "task-parallel": "relax-update",
}
"""Algorithms for all pairs that make one search from every source, and which one that is."""


def searches() -> dict[str, str]:
    """Return pages by the names of their files; none where what pages bring was not built."""
    try:
        return dict(_searches())
    except MissingPackageError as missing:
        print(f"documentation without searches that play: {missing}", file=sys.stderr)
        return {}


def _searches() -> Iterator[tuple[str, str]]:
    network = open_network(SMALL)
    results = {}
    far = wayfront.search(network, 0, "dijkstra", "cpu").farthest
    for declared in algorithms():
        if declared.kind not in (SearchKind.ONE_TREE, SearchKind.ROUTE):
            continue
        target = far if declared.kind is SearchKind.ROUTE else None
        try:
            result = wayfront.search(network, 0, declared.name, "cpu", trace=True, target=target)
        except DeviceError:  # it needs a card
            continue
        results[declared.name] = result
        yield declared.name, result.show(theme="dark").html
    yield from _simulated().items()
    race = wayfront.Race(results[name] for name in SIDE_BY_SIDE)
    yield NINE, race.show(theme="dark", embedded=False).html
    city = open_network(str(asset(BUNDLED)))
    yield CITY, load_trace(asset(RECORDED), city).show(theme="dark", live=True).html


def _simulated() -> dict[str, str]:
    """Return the pages of searches that need a card, from another process: the simulator takes the place of CUDA."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, __file__], env=environment, stdout=subprocess.PIPE, check=True)
    pages: dict[str, str] = json.loads(done.stdout)
    return pages


def _simulate() -> dict[str, str]:
    network = open_network(GRID)
    try:
        return {
            name: wayfront.search(network, 0, name, "simulator", options={**chosen}, trace=True).show(theme="dark").html
            for name, chosen in SIMULATED.items()
        }
    except DeviceError:  # there is no simulator for macOS
        return {}


def beginning(name: str, title: str, played: set[str]) -> list[str]:
    """Return what an algorithm's section begins with: its search, or in plain words why none plays."""
    shown = ONE_OF_MANY.get(name, name)
    if not played:
        return []
    if shown not in played and name in SIMULATED:
        return ["*Nothing plays here: it needs a card, or the simulator, which was not there.*", ""]
    if shown not in played:
        return ["*Nothing plays here: it makes no trees from sources, but one matrix of all pairs.*", ""]
    if name in ONE_OF_MANY:
        return [
            frame(shown, f"One of the searches of {title}"),
            "*One of its searches: it makes one from every node.*",
            "",
        ]
    if name in SIMULATED:
        return [
            frame(name, f"{title} on a small graph"),
            "*It needs a card: here the simulator ran it on a small graph.*",
            "",
        ]
    return [frame(name, f"{title} on a small city"), ""]


def frame(name: str, title: str, height: int = 360) -> str:
    """Return HTML that shows a page and plays it while it is seen."""
    address = f"searches/{name}.html?embed&play&loop&theme=auto"
    style = f"width:100%;height:{height}px;border:0;border-radius:6px"
    return f'<iframe src="{escape(address)}" title="{escape(title)}" loading="lazy" style="{style}"></iframe>'


if __name__ == "__main__":
    json.dump(_simulate(), sys.stdout)
