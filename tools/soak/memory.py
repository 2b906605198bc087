"""Memory over many searches and many openings, in a process of its own.

``python -m soak.memory SEARCHES OPENINGS`` prints how much memory the process gained, in bytes, after the first
quarter of either, which fills what is kept for good: compiled kernels, networks on devices, pools.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import psutil

from soak import TINY_MAP
from soak.report import Row

GROWTH_BYTES = 32 << 20
"""More than this gained after the warm-up is a leak."""
_LIMIT_S = 1_800


def watch_memory(searches: int, openings: int) -> list[Row]:
    """Run searches and openings in another process and return a row for each."""
    command = [sys.executable, "-m", "soak.memory", str(searches), str(openings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    rows = []
    for what, tried in (("memory over searches", searches), ("memory over openings", openings)):
        row = Row(what, tried)
        if done.returncode:
            row.add_fault("crashes" if done.returncode < 0 else "tracebacks", done.stderr[-500:])
        else:
            gained = json.loads(done.stdout.splitlines()[-1])[what]
            row.remarks = f"{gained / 1e6:+.1f} MB after the warm-up"
            if gained > GROWTH_BYTES:
                row.add_fault("bombs", row.remarks)
        rows.append(row)
    return rows


def _gained(attempts: int, attempt: Callable[[int], object]) -> int:
    for number in range(attempts // 4 + 1):
        attempt(number)
    before = _held()
    for number in range(attempts // 4 + 1, attempts):
        attempt(number)
    return _held() - before


def _held() -> int:
    gc.collect()
    return int(psutil.Process().memory_info().rss)


def main() -> None:
    """Search and open as the command line asks."""
    import wayfront
    from soak.kinds import make_examples
    from wayfront.synthetic import from_name

    searches, openings = map(int, sys.argv[1:])
    network = from_name("synthetic:city?nodes=4000")
    names = [a.name for a in wayfront.algorithms() if a.name in ("dijkstra", "near-far", "delta-stepping")]

    def search(number: int) -> None:
        result = wayfront.search(network, number * 7 % network.node_count, names[number % len(names)], "cpu", runs=0)
        result.route(result.farthest)

    with tempfile.TemporaryDirectory() as folder:
        make_examples(Path(folder), TINY_MAP)
        city = Path(folder) / "city.wayfront"
        from wayfront.formats.registry import save

        save(network, city)
        opened = [city, *(Path(folder) / f"map{suffix}" for suffix in (".gr", ".osm.pbf", ".json", ".graphml"))]
        gained = {
            "memory over searches": _gained(searches, search),
            "memory over openings": _gained(
                openings, lambda number: wayfront.open_network(opened[number % len(opened)], cache=bool(number % 2))
            ),
        }
    print(json.dumps(gained))


if __name__ == "__main__":
    main()
