"""Check routes on OpenStreetMap files by a reader of its own: python tools/check_turns.py FILE … [--pairs 10000]

For each file, random pairs of nodes: no route may make a forbidden turn or pass a barrier, and each is as long as
Dijkstra's algorithm over the file's arcs finds. What may be driven is decided by ``tests/support/turn_checker.py``,
which reads the file itself. Pairs are a hundred sources, half of them split nodes where there are any, and as many
targets for each as it takes.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import numpy as np

import wayfront
from turn_checker import Streets
from wayfront.network.copies import begin_of, end_of, split_count

SOURCES = 100


@dataclass(frozen=True, slots=True)
class Found:
    """What was compared on one file: pairs, those with a route, and what was wrong."""

    pairs: int
    routes: int
    wrong: tuple[str, ...]
    split: int


def check(path: Path, pairs: int, seed: int = 29) -> Found:
    """Compare random pairs of nodes of one file."""
    network = wayfront.open_network(path, osm=wayfront.OsmOptions("drive"), cache=False)
    streets, random = Streets.of(path), np.random.default_rng(seed)
    ids, wrong, routes = np.unique(network.node_ids), [], 0
    every = np.arange(network.node_count, dtype=np.int32)
    copies = network.node_ids[begin_of(network, every) != end_of(network, every)]
    chosen = min(SOURCES, pairs)
    sources = random.choice(ids, chosen)
    if len(copies):
        sources[: chosen // 2] = random.choice(copies, chosen // 2)
    targets = -(-pairs // chosen)
    for source, expected in zip(sources.tolist(), streets.distances_of_all(sources.tolist()), strict=True):
        found = wayfront.search(network, network.node(source), "dijkstra", "cpu")
        for target in random.choice(ids, targets).tolist():
            way = found.route(network.node(target))
            length = way.distance if len(way) else -1
            if length != expected.get(target, -1):
                wrong.append(f"{source} → {target}: {length} and not {expected.get(target, -1)}")
            elif len(way):
                routes += 1
                driven = streets.driven(way.ids.tolist())
                if driven != length:
                    wrong.append(f"{source} → {target}: " + ("a forbidden turn" if driven < 0 else f"drives {driven}"))
    return Found(chosen * targets, routes, tuple(wrong), split_count(network))


def main() -> int:
    """Check the files named on the command line; return 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pairs", type=int, default=10_000)
    asked = parser.parse_args()
    faults = 0
    for path in asked.files:
        begun = time.process_time()
        found = check(path, asked.pairs)
        faults += len(found.wrong)
        seconds = time.process_time() - begun
        print(f"{path.name}: {found.pairs:,} pairs, {found.routes:,} routes, {found.split:,} split nodes, "
              f"{len(found.wrong):,} wrong, {seconds:.0f} s", flush=True)  # fmt: skip
        for line in found.wrong[:5]:
            print(f"    {line}", flush=True)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
