"""``python -m wayfront.benchmarks trees NETWORK… --output FILE.json``, where only the engine is installed.

What was measured is written after every network. ``wayfront benchmark trees --from FILE.json`` prints and draws it on
any machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import zip_longest

from wayfront.devices import choose_device, prepare_process
from wayfront.errors import WayfrontError
from wayfront.files import write_text_whole
from wayfront.timing.commands import begin_measuring


def main(words: list[str]) -> None:
    """Run the command. Raises ``WayfrontError``."""
    given = _parser().parse_args(words)
    for device in given.devices.split(","):
        prepare_process(device)  # before numba is imported
    from wayfront.benchmarks.trees import Request, benchmark_trees, take_cut
    from wayfront.opening import open_network

    say, cancel = begin_measuring()
    devices = tuple(choose_device(device).id for device in given.devices.split(","))
    request = Request(
        devices, given.threads, given.sources, given.batch, given.seconds, not given.alone, given.metric, say
    )
    done = []
    for name, cut in zip_longest(given.networks, given.cut[: len(given.networks)]):
        network = open_network(name, cancel=cancel)
        if cut is not None:
            take_cut(network, cut)
        found = benchmark_trees(network, request, cancel)
        for one in found.times:
            say(f"{one.stage}, {one.program} on {one.device}: {one.median_ms:.4g} ms {one.detail} {one.part}".rstrip())
        done.append(found.record())
        write_text_whole(given.output, json.dumps({"benchmarks": done}, indent=1, ensure_ascii=False))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m wayfront.benchmarks", description="Run benchmarks, write JSON.")
    commands = parser.add_subparsers(required=True, metavar="BENCHMARK")
    trees = commands.add_parser("trees", help="trees by nested dissection beside other searches")
    trees.add_argument("networks", nargs="+", metavar="NETWORK", help="network files, dimacs:NAME or synthetic:KIND")
    trees.add_argument("--devices", default="cpu", help="ids with commas between, for instance cpu,cuda")
    trees.add_argument("--threads", type=int, default=1, help="CPU cores that dissection uses")
    trees.add_argument("--sources", type=int, default=32, help="random sources")
    trees.add_argument("--batch", type=int, default=1024, help="trees of a batch")
    trees.add_argument("--seconds", type=float, default=60.0, help="what one program or stage may take")
    trees.add_argument("--alone", action="store_true", help="time dissection without other searches")
    trees.add_argument("--metric", default=None, help="what to minimise")
    trees.add_argument(
        "--cut", action="append", default=[], help="the file with the first network's cut, then the second's"
    )
    trees.add_argument("--output", "-o", required=True, help="the JSON file to write")
    return parser


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except WayfrontError as _problem:
        sys.exit(f"{_problem}")
