"""Check traffic assignment against published equilibria: every problem of a folder of TNTP files that has one.

    python tools/check_tntp.py FOLDER [--gap 1e-5] [--method biconjugate] [--factors NAME=TOLL,DISTANCE]

The folder holds, at any depth, ``…_net.tntp``, ``…_trips.tntp`` and ``…_flow.tntp``, such as a copy of Transportation
Networks for Research (github.com/bstabler/TransportationNetworks). Factors are what a toll and a length of 1 cost,
which the collection's pages say: ``--factors ChicagoSketch=0.02,0.04``. Printed are, beside each published flow, what
was found, its gap, by how much the objective is above that of the published flows, and how far flows differ.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import wayfront
from wayfront.formats.streams import Opening
from wayfront.formats.tntp.reader import read_flows
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError, NotConvergedWarning


def published_flows(network: RoadNetwork, path: Path) -> NDArray[np.float64]:
    """Return published flows in the order of a network's arcs; parallel ones in the file's order."""
    tails, heads, flows, _ = read_flows(path, Opening())
    ids = network.node_ids
    ours = np.lexsort((ids[network.targets], ids[network.tails()]))
    theirs = np.lexsort((heads, tails))
    if not np.array_equal(ids[network.tails()[ours]], tails[theirs]):
        raise FormatError("flows are of other roads than the network has", path)
    found = np.empty(network.arc_count)
    found[ours] = flows[theirs]
    return found


def check(net: Path, gap: float, method: str, factors: tuple[float, float]) -> bool:
    """Print one row; return whether the gap was reached, and the objective is above the published one by no more."""
    stem = net.name.removesuffix("_net.tntp")
    trips, flow = (net.with_name(f"{stem}_{what}.tntp") for what in ("trips", "flow"))
    town = wayfront.read_tntp(net, trips, toll_factor=factors[0], distance_factor=factors[1])
    best = published_flows(town.network, flow)
    begin = time.process_time()
    found = wayfront.assign(
        town.network, town.demand, town.roads, no_passage=town.no_passage, gap=gap, method=method, device="cpu"
    )
    seconds = time.process_time() - begin
    found.verify()
    last, above = found.iterations[-1], found.iterations[-1].objective - town.roads.integral(best)
    apart = np.abs(found.flow - best)
    print(
        f"{stem:20} {town.network.arc_count:7,} {len(np.unique(found.origins)):7,} {len(found.iterations):7,} "
        f"{last.relative_gap:9.2e} {above / last.objective:12.2e} {apart.sum() / best.sum():12.2e} {seconds:8.2f}"
    )
    return found.converged and above <= last.relative_gap * last.total_cost * (1 + 1e-6)


def main() -> int:
    """Check all problems of a folder; return 1 where one is off."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gap", type=float, default=1e-5)
    parser.add_argument("--method", default="biconjugate")
    parser.add_argument("--factors", action="append", default=[], metavar="NAME=TOLL,DISTANCE")
    asked = parser.parse_args()
    factors = {}
    for text in asked.factors:
        name, _, numbers = text.partition("=")
        toll, distance = numbers.split(",")
        factors[name] = float(toll), float(distance)
    warnings.simplefilter("ignore", NotConvergedWarning)
    heads = ("roads", "zones", "iter."), ("gap",), ("above best", "flows apart"), ("seconds",)
    widths = 7, 9, 12, 8
    print("problem".ljust(20), *(f"{head:>{wide}}" for row, wide in zip(heads, widths, strict=True) for head in row))
    good = True
    for net in sorted(asked.folder.rglob("*_net.tntp")):
        if net.with_name(net.name.replace("_net.", "_flow.")).exists():
            try:
                good &= check(net, asked.gap, asked.method, factors.get(net.name.removesuffix("_net.tntp"), (0.0, 0.0)))
            except FormatError as problem:
                print(problem)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
