"""Attack the program for a while, by a seed, and print how it held: ``make soak``.

Every part is bounded by a count, and whatever it does follows from the seed. The exit code is 1 if anything broke.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from soak import TINY_MAP
from soak.report import Row, as_json, table


def main() -> int:
    """Run the parts that the command line asks for, print the table and return the exit code."""
    arguments = _parse()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    begin = time.monotonic()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="soak-cache-") as cache:
        os.environ["WAYFRONT_CACHE"] = str(Path(cache) / "wayfront")
        for name, part in PARTS.items():
            if arguments.only and name not in arguments.only:
                continue
            started = time.monotonic()
            rows += part(arguments)
            _say(f"{name}: {time.monotonic() - started:.0f} s")
    seconds = time.monotonic() - begin
    print(table(rows))
    print(f"\nseed {arguments.seed}, {seconds / 60:.1f} minutes")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(as_json(rows, seed=arguments.seed, seconds=round(seconds)), encoding="utf-8")
    return int(any(row.faults.total() for row in rows))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="where all randomness comes from")
    parser.add_argument("--files", type=int, default=100_000, help="mutated files, evenly over all formats")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="files opened at once")
    parser.add_argument("--searches", type=int, default=20_000, help="searches against SciPy")
    parser.add_argument("--memory-searches", type=int, default=500)
    parser.add_argument("--memory-openings", type=int, default=36)
    parser.add_argument("--interrupts", type=int, default=200, help="commands interrupted by Ctrl-C")
    parser.add_argument("--window-interrupts", type=int, default=100, help="starts of the window interrupted")
    parser.add_argument("--kills", type=int, default=100, help="kills of each writer")
    parser.add_argument("--servers", type=int, default=600, help="answers of hostile servers")
    parser.add_argument("--events", type=int, default=1_500, help="random events of the window")
    parser.add_argument("--window-files", type=int, default=500, help="mutated files opened in the window")
    parser.add_argument("--only", nargs="*", choices=list(PARTS), help="the parts to run; default: all")
    parser.add_argument("--kept", type=Path, default=Path("out/soak"), help="folder for files that broke something")
    parser.add_argument("--json", type=Path, help="also write the table, with examples, as JSON")
    return parser.parse_args()


def _searches(arguments: argparse.Namespace) -> Iterator[Row]:
    from soak.searches import search_networks

    yield search_networks(arguments.seed, arguments.searches)


def _files(arguments: argparse.Namespace) -> Iterator[Row]:
    from soak.files import mutate_files

    yield from mutate_files(
        arguments.seed, arguments.files, TINY_MAP, arguments.kept, processes=arguments.processes, say=_say
    )


def _memory(arguments: argparse.Namespace) -> Iterator[Row]:
    from soak.memory import watch_memory

    yield from watch_memory(arguments.memory_searches, arguments.memory_openings)


def _interrupts(arguments: argparse.Namespace) -> Iterator[Row]:
    from soak.endings import interrupt_commands, interrupt_window

    yield interrupt_commands(arguments.seed, arguments.interrupts)
    yield interrupt_window(arguments.seed, arguments.window_interrupts)


def _kills(arguments: argparse.Namespace) -> Iterator[Row]:
    from soak.endings import kill_writers

    yield kill_writers(arguments.seed, arguments.kills)


def _servers(arguments: argparse.Namespace) -> Iterator[Row]:
    from soak.servers import attack_downloads

    yield from attack_downloads(arguments.seed, arguments.servers)


def _window(arguments: argparse.Namespace) -> Iterator[Row]:
    from soak.window import open_in_window, play_monkey

    yield play_monkey(arguments.seed, arguments.events)
    yield play_monkey(arguments.seed, arguments.events, changing=True)
    yield open_in_window(arguments.seed, arguments.window_files)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "searches": _searches,
    "files": _files,
    "memory": _memory,
    "interrupts": _interrupts,
    "kills": _kills,
    "servers": _servers,
    "window": _window,
}

if __name__ == "__main__":
    sys.exit(main())
