"""Measure for minutes where only the engine is installed, as on a server with bare sources: NumPy and numba suffice.

usage: python tools/measure.py papers LETTERS --output FILE.json [options]
       python tools/measure.py trees NETWORK… --output FILE.json [options]

What was measured is written after every table or network, so that nothing is lost where the process is ended.
``wayfront reproduce --from FILE.json`` and ``wayfront benchmark trees --from FILE.json`` print and draw it on any
machine.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable
from itertools import zip_longest
from threading import Event

from wayfront.devices import choose_device, prepare_process
from wayfront.papers import find_papers
from wayfront.safe.errors import SearchCancelled, WayfrontError
from wayfront.safe.files import write_text_whole
from wayfront.timing.harness import RUNS


def begin_measuring() -> tuple[Callable[[str], None], Event]:
    """Return what reports a line with the seconds passed, and an event that Ctrl-C and SIGTERM set from now on."""
    begin, cancel = time.monotonic(), Event()
    signal.signal(signal.SIGINT, lambda *_: cancel.set())
    signal.signal(signal.SIGTERM, lambda *_: cancel.set())

    def say(text: str) -> None:
        sys.stderr.write(f"{time.monotonic() - begin:7.1f} s  {text}\n")
        sys.stderr.flush()

    return say, cancel


def measure_papers(given: argparse.Namespace) -> int:
    """Run tables of papers; return 1 where a search was wrong."""
    from wayfront.papers.comparison import record_of
    from wayfront.papers.reproduction import Request, reproduce

    say, cancel = begin_measuring()
    papers = [paper for name in given.papers.split(",") for paper in find_papers(name, given.table)]
    chosen = tuple(choose_device(device).id for device in given.devices.split(","))
    request = Request(
        chosen, given.runs, given.seconds, given.long, tuple(given.data), say if given.verbose else lambda _text: None
    )
    done, wrong = [], 0
    try:
        for comparison in reproduce(papers, request, cancel):
            done.append(comparison)
            wrong += bool(comparison.disagreement)
            rows = ", ".join(f"{cell.label} {cell.median_ms:.4g} ms" for cell in comparison.cells)
            say(f"{comparison.paper.letter} {comparison.table.title}, {comparison.graph.name}: {rows or 'nothing'}")
            for text in filter(None, (comparison.disagreement, *(f"{s.label}: {s.why}" for s in comparison.skipped))):
                say(f"    {text}")
            write_text_whole(given.output, json.dumps(record_of(papers, done), indent=1, ensure_ascii=False))
    except SearchCancelled:
        say("stopped; what was measured until then is kept")
    return 1 if wrong else 0


def measure_trees(given: argparse.Namespace) -> int:
    """Time trees by nested dissection beside other searches."""
    from wayfront.benchmarks.trees import Request, benchmark_trees, take_cut
    from wayfront.opening import open_network

    say, cancel = begin_measuring()
    devices = tuple(choose_device(device).id for device in given.devices.split(","))
    request = Request(
        devices,
        given.threads,
        given.sources,
        given.batch,
        given.seconds,
        not given.alone,
        given.metric,
        say,
        given.published,
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
    return 0


def main(words: list[str]) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python tools/measure.py", description="Measure, and write JSON.")
    commands = parser.add_subparsers(required=True, metavar="WHAT")
    papers = commands.add_parser("papers", help="tables of papers")
    papers.add_argument("papers", help="letters from A to F with commas between, or all")
    papers.add_argument("--table", default="", help="only tables whose title contains this")
    papers.add_argument("--devices", default="cpu", help="ids with commas between, for instance cpu,cuda")
    papers.add_argument("--runs", type=int, default=RUNS, help="clean runs of each search")
    papers.add_argument("--seconds", type=float, default=10.0, help="a longer run is made in part, or left out")
    papers.add_argument("--long", action="store_true", help="make every run whole, however long it takes")
    papers.add_argument("--data", action="append", default=[], help="a folder of network files; may be repeated")
    papers.add_argument("--verbose", action="store_true", help="report every search")
    papers.add_argument("--output", "-o", required=True, help="the JSON file to write")
    papers.set_defaults(measure=measure_papers)
    trees = commands.add_parser("trees", help="trees by nested dissection beside other searches")
    trees.add_argument("networks", nargs="+", metavar="NETWORK", help="network files, dimacs:NAME or synthetic:KIND")
    trees.add_argument("--devices", default="cpu", help="ids with commas between, for instance cpu,cuda")
    trees.add_argument("--threads", type=int, default=1, help="CPU cores that dissection uses")
    trees.add_argument("--sources", type=int, default=32, help="random sources")
    trees.add_argument("--batch", type=int, default=1024, help="trees of a batch")
    trees.add_argument("--seconds", type=float, default=60.0, help="what one program or stage may take")
    trees.add_argument("--alone", action="store_true", help="time dissection without other searches")
    trees.add_argument(
        "--published", action="store_true", help="time what CliqueTrees.jl publishes, beside its figures"
    )
    trees.add_argument("--metric", default=None, help="what to minimise")
    trees.add_argument(
        "--cut", action="append", default=[], help="the file with the first network's cut, then the second's"
    )
    trees.add_argument("--output", "-o", required=True, help="the JSON file to write")
    trees.set_defaults(measure=measure_trees)
    given = parser.parse_args(words)
    for device in given.devices.split(","):
        prepare_process(device)  # before numba is imported
    done: int = given.measure(given)
    return done


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except WayfrontError as _problem:
        sys.exit(f"{_problem}")
