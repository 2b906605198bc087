"""Search small networks through every path of the kernels on a card, and note which kernels were launched.

``tools/sanitize.py`` runs this file under each of compute-sanitizer's tools, a process for each *case*: a search with
one choice of its options. A case searches every network, traced and not, in 32 and in 64 bits, and proves what it
finds; those of the dissection also close roads and make many trees. The tools make every launch some hundred times as
slow, so that the networks are small, and the searches that take the most launches have few sources.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

if TYPE_CHECKING:
    from wayfront.devices import Device, DeviceInfo
    from wayfront.network.road_network import RoadNetwork

LARGEST = 2**31 - 1
MARK = "## search "
OUTSIDE = "(outside a search)"

KERNEL_PACKAGES = ("wayfront.kernels", "wayfront.algorithms", "wayfront.dissection")

EXTREMES: dict[str, tuple[dict[str, Any], ...]] = {
    "near-far": ({"delta": 1}, {"delta": LARGEST}),
    "near-far-resident": ({"delta": 1}, {"delta": LARGEST}),
    "delta-stepping": ({"delta": LARGEST},),
    "adaptive": ({"judge": "frontier size", "list_up_to": 2}, {"judge": "frontier size", "list_up_to": 10**6}),
    "bellman-ford-queue": ({"batch": 2}, {"order": "FIFO", "batch": 1}),
    "bellman-ford-v2": ({"blocks": 1, "block": 32},),
    "bellman-ford-v3": ({"blocks": 1, "block": 32},),
    "heap-apsp": ({"block": 32, "room": 4},),
}
"""Values of options, beside all their choices, that lead through other paths of a kernel."""

DISSECTION = "dissection"

MOST_SOURCES = {"relax-update-in-turn": 5, "task-parallel": 70}
"""Sources of the searches for all pairs that take very many launches: for task-parallel, two whole batches and a part
of one."""

REHEARSED = 12
"""Nodes of the ring on which a search is compiled: searches in turn would launch for minutes on the usual one."""


class Case(NamedTuple):
    """A search with some options, the ``number``-th case of its search.

    ``live`` stands for what the dissection does beside searches: many trees, figures of them, and changed roads.
    """

    search: str
    number: int
    options: dict[str, Any]
    live: bool = False

    @property
    def label(self) -> str:
        """The search, and what was chosen."""
        chosen = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return f"{self.search} ({chosen or ('changed roads' if self.live else 'defaults')})"


def networks() -> Iterator[tuple[str, RoadNetwork]]:
    """Yield small networks whose searches go through every path of the kernels.

    Streets; random arcs with parallel ones, self-loops, weights of 0 and unreachable nodes; a node with so many arcs
    that warps, blocks and the whole grid share them; the largest weights, whose distances need 64 bits.
    """
    import numpy as np

    from wayfront.synthetic import from_name

    r = np.random.default_rng(9)
    yield "grid", from_name("synthetic:grid?columns=12&rows=9&seed=2")
    yield made("random", 90, r.integers(0, 80, 400), r.integers(0, 80, 400), r.integers(0, 4, 400))
    hub, leaves = np.zeros(300, np.int64), np.arange(1, 301)
    tails, heads = np.concatenate([hub, leaves]), np.concatenate([leaves, np.roll(leaves, 1)])
    yield made("star", 301, tails, heads, r.integers(0, 50, 600))
    nodes = np.arange(39)
    yield made("wide", 40, nodes, nodes + 1, np.where(nodes % 5 == 4, 0, LARGEST))


def made(name: str, n: int, tails: Any, heads: Any, weights: Any) -> tuple[str, RoadNetwork]:
    """Return a name and a network of n nodes with these arcs."""
    import numpy as np

    from wayfront.network.road_network import Metric, RoadNetwork

    metric = Metric("weight", "", 1, np.asarray(weights, np.int32))
    network = RoadNetwork.from_arcs(
        name=name, node_count=n, tails=np.asarray(tails), heads=np.asarray(heads), metrics=[metric]
    )
    return name, network


def fronts_of_every_size() -> tuple[str, RoadNetwork]:
    """Return a complete network, whose fronts have from 6 to 150 nodes: each kernel that folds them gets some."""
    import numpy as np

    tails, heads = np.nonzero(~np.eye(150, dtype=bool))
    return made("complete", 150, tails, heads, np.random.default_rng(4).integers(1, 1000, len(tails)))


def cases(device: Device | DeviceInfo) -> Iterator[Case]:
    """Yield every search that runs on a device, with its defaults, with each choice of its options, and extremes."""
    from wayfront.results.result import SearchKind
    from wayfront.searching.registry import algorithms

    for declared in (*algorithms(SearchKind.ONE_TREE), *algorithms(SearchKind.ALL_PAIRS)):
        if not declared.runs_on(device):
            continue
        chosen: list[dict[str, Any]] = [{}]
        for option in declared.options:
            chosen += [{option.name: value} for value in option.choices if value != option.default]
        chosen += EXTREMES.get(declared.name, ())
        for number, options in enumerate(chosen):
            yield Case(declared.name, number, options)
        if declared.name == DISSECTION:
            yield Case(declared.name, len(chosen), {}, live=True)


def declared_kernels() -> set[str]:
    """Return the names of all kernels that the sources declare: bodies, those of blocks and cards, whole searches."""
    found = set()
    for name in KERNEL_PACKAGES:
        package = importlib.import_module(name)
        for info in pkgutil.walk_packages(package.__path__, f"{name}."):
            if info.name.endswith("__main__"):
                continue
            module = importlib.import_module(info.name)
            for label, value in vars(module).items():
                found |= _kernels_of(label, value, module.__name__)
    return found


def _kernels_of(label: str, value: Any, module: str) -> set[str]:
    """Return the names of the kernels that a module's name stands for: several where it is a group of them."""
    from wayfront.devices.device import BlockKernel, CardKernel, TileKernel

    if isinstance(value, BlockKernel | CardKernel | TileKernel):
        return {value.on_card.__name__} if value.on_card.__module__ == module else set()
    if isinstance(value, tuple):
        return {name for element in value for name in _kernels_of(label, element, module)}
    if not isinstance(value, FunctionType) or value.__module__ != module or label.startswith("_"):
        return set()
    arguments = value.__code__.co_varnames[: value.__code__.co_argcount]
    is_kernel = arguments[:1] in (("i",), ("_i",)) or "this_grid" in value.__code__.co_names
    return {label} if is_kernel else set()


def note_launches(device: Any, launched: set[str]) -> None:
    """Make a device note which kernels it launches."""

    def noting(name: str, launch: Callable[..., None]) -> Callable[..., None]:
        def noted(count: int, *arguments: Any, **named: Any) -> None:
            if count > 0:
                launched.add(name)
            launch(count, *arguments, **named)

        return noted

    def note(method: str, name_of: Callable[[Any], str]) -> None:
        prepare = getattr(device, method)
        setattr(device, method, lambda kernel, *rest: noting(name_of(kernel), prepare(kernel, *rest)))

    resident = device.launch_resident

    def launch_resident(kernel: Any, *arguments: Any, **named: Any) -> None:
        launched.add(kernel.__name__)
        resident(kernel, *arguments, **named)

    for method in ("prepare", "prepare_shared"):
        note(method, lambda body: body.__name__)
    for method in ("prepare_blocks", "prepare_tiles", "prepare_card"):
        note(method, lambda kernel: kernel.on_card.__name__)
    device.launch_resident = launch_resident


def search_once(case: Case, network: RoadNetwork, device_id: str) -> None:
    """Search a network as a case says, and prove what is found."""
    import numpy as np

    import wayfront
    from wayfront.results.result import BaseResult, SearchKind
    from wayfront.safe.options import resolve, unsafe_choices
    from wayfront.searching.registry import find_algorithm

    declared = find_algorithm(case.search)
    safe = not unsafe_choices(declared.options, resolve(declared.options, case.options))
    result: BaseResult
    if declared.kind is SearchKind.ALL_PAIRS:
        most = MOST_SOURCES.get(case.search, network.node_count)
        sources = np.unique(np.linspace(0, network.node_count - 1, min(most, network.node_count)).astype(np.int64))
        result = wayfront.all_pairs(
            network, case.search, device_id, sources=sources, options=case.options, runs=1, verify=safe
        )
    else:
        result = wayfront.search(network, 0, case.search, device_id, options=case.options, runs=1, verify=safe)
    assert result.verified or not safe


@contextmanager
def small_regions(device: Device) -> Iterator[None]:
    """Let a card's dissection search networks of a hundred nodes by two tiers of regions."""
    from wayfront.devices.device import BLOCKS_OF_ONE
    from wayfront.dissection.card import engine as card_engine

    with (
        mock.patch.object(device, "busy_blocks", 2 * BLOCKS_OF_ONE),
        mock.patch.object(card_engine, "NODE_BYTES", (device.shared_bytes // 32,)),
    ):
        yield


def change_roads(network: RoadNetwork, device_id: str) -> None:
    """Make many trees of a dissected network, their figures, and trees with changed roads, and prove them."""
    import numpy as np

    import wayfront
    from wayfront.searching.certificate import certify

    prepared = wayfront.prepare(network, device=device_id)
    rows = prepared.trees(range(network.node_count))
    few = prepared.trees(range(min(5, network.node_count)))
    assert (few == rows[: len(few)]).all()
    found = wayfront.all_pairs(network, "dissection-all-pairs", device_id, runs=2).figures
    assert (found.total == np.maximum(rows, 0).sum(axis=1, dtype=np.int64)).all()
    first = prepared.tree(0)
    assert (first.distances == rows[0]).all()
    some = np.arange(0, network.arc_count, 3)
    for change in (prepared.close, prepared.reopen, lambda arcs: prepared.set_weights(arcs, 7)):
        change(some)
        certify(prepared.tree(0))


def drive(device_id: str, report: Path, search: str, number: int | None = None) -> int:
    """Run the cases of a search on a device, or one of them; say which one runs, and write which kernels it launched.

    Returns 1 where a search failed or found something wrong, else 0.
    """
    import wayfront
    from wayfront.devices import open_device, prepare_process
    from wayfront.searching import execution as driver

    prepare_process(device_id)
    device = open_device(device_id)
    launched: set[str] = set()
    note_launches(device, launched)
    vars(driver)["tiny_network"] = shorter_ring
    failed, prepared = 0, list(networks())
    for case in cases(device):
        if case.search != search or number not in (None, case.number):
            continue
        print(f"{MARK}{case.search}", flush=True)
        more = [fronts_of_every_size()] if case.search == DISSECTION and not case.live else []
        for label, network in prepared + more:
            try:
                if case.live:
                    change_roads(network, device_id)
                else:
                    search_once(case, network, device_id)
            except wayfront.WayfrontError as problem:
                if "buckets here" in str(problem):  # Δ-stepping refuses a width that its indices cannot hold
                    continue
                failed += 1
                print(f"FAILED {case.label} on {label}: {problem}", flush=True)
        if case.live:
            with small_regions(device):
                change_roads(dict(networks())["grid"], device_id)
        print(f"{MARK}{OUTSIDE}", flush=True)
    report.write_text(json.dumps({"launched": sorted(launched), "failed": failed}))
    return int(failed > 0)


def shorter_ring(*, zeros: bool) -> RoadNetwork:
    """Return a ring like the one on which searches are compiled, but shorter."""
    import numpy as np

    nodes = np.arange(REHEARSED)
    weights = np.full(REHEARSED, 2**10)
    weights[REHEARSED // 2] = 0 if zeros else 1
    return made("ring", REHEARSED, nodes, (nodes + 1) % REHEARSED, weights)[1]


def main() -> int:
    """Read the arguments, and search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--search", required=True)
    parser.add_argument("--number", type=int, help="the case of that search; default: all of them")
    parser.add_argument("--report", type=Path, default=Path(os.devnull), help="where to list the kernels launched")
    given = parser.parse_args()
    return drive(given.device, given.report, given.search, given.number)


if __name__ == "__main__":
    sys.exit(main())
