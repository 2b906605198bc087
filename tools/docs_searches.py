"""Searches that play in the documentation: one for each algorithm, nine side by side, and a city to drag in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
    race = wayfront.Race(results[name] for name in SIDE_BY_SIDE)
    yield NINE, race.show(theme="dark", embedded=False).html
    city = open_network(str(asset(BUNDLED)))
    yield CITY, load_trace(asset(RECORDED), city).show(theme="dark", live=True).html


def frame(name: str, title: str, height: int = 360) -> str:
    """Return HTML that shows a page and plays it while it is seen."""
    address = f"searches/{name}.html?embed&play&loop&theme=auto"
    style = f"width:100%;height:{height}px;border:0;border-radius:6px"
    return f'<iframe src="{escape(address)}" title="{escape(title)}" loading="lazy" style="{style}"></iframe>'
