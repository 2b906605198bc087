"""``python -m wayfront.papers PAPER --output FILE.json``: run papers' tables where only the engine is installed.

No more than NumPy and numba is needed. What was measured is written after every table, so that nothing is lost where
the process is ended; ``wayfront reproduce --from FILE.json`` prints and draws it on any machine.
"""

from __future__ import annotations

import argparse
import json
import sys

from wayfront.devices import choose_device, prepare_process
from wayfront.errors import SearchCancelled, WayfrontError
from wayfront.files import write_text_whole
from wayfront.papers import find_papers
from wayfront.timing.commands import begin_measuring
from wayfront.timing.runs import RUNS


def main(words: list[str]) -> int:
    """Run the command; return its exit code."""
    given = _parser().parse_args(words)
    for device in given.devices.split(","):
        prepare_process(device)  # before numba is imported
    from wayfront.papers.records import record_of
    from wayfront.papers.reproduction import Request, reproduce

    say, cancel = begin_measuring()
    papers = [paper for name in given.papers.split(",") for paper in find_papers(name, given.table)]
    chosen = tuple(choose_device(device).id for device in given.devices.split(","))
    request = Request(
        chosen, given.runs, given.seconds, given.long, tuple(given.data), say if given.verbose else _silent
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


def _silent(_text: str) -> None:
    """Report nothing."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m wayfront.papers", description="Run papers' tables, write JSON.")
    parser.add_argument("papers", help="letters from A to F with commas between, or all")
    parser.add_argument("--table", default="", help="only tables whose title contains this")
    parser.add_argument("--devices", default="cpu", help="ids with commas between, for instance cpu,cuda")
    parser.add_argument("--runs", type=int, default=RUNS, help="clean runs of each search")
    parser.add_argument("--seconds", type=float, default=10.0, help="a longer run is made in part, or left out")
    parser.add_argument("--long", action="store_true", help="make every run whole, however long it takes")
    parser.add_argument("--data", action="append", default=[], help="a folder of network files; may be repeated")
    parser.add_argument("--verbose", action="store_true", help="report every search")
    parser.add_argument("--output", "-o", required=True, help="the JSON file to write")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except WayfrontError as _problem:
        sys.exit(f"{_problem}")
