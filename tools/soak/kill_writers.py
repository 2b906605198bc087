"""Kill every writer of the program at random moments and look at what is left: the old file, the new one, or none.

``python -m soak.kill_writers --kills 100 --seed 1 [NAME …]`` prints a JSON object with what was found for each
writer. One process prepares what is to be written; each kill is of a copy of it (``os.fork``) that writes one version
after the other over an older file, so that a kill costs milliseconds. A file counts as whole if it holds what one of
the versions holds in a file that was written in peace. ``--named`` writes as on systems without nameless files.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import signal
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np

import wayfront
from soak import TEST_DATA
from wayfront.formats.registry import save
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe import files
from wayfront.safe.folders import PARTIAL, cache_folder, sweep_leftovers
from wayfront.searching.result_file import save_trace
from wayfront.sources import cache

OLD, NEW = 0, 1
LONGEST_WAIT_S = 0.5
GRID = "synthetic:grid?columns=24&rows=24"


@dataclass(frozen=True)
class Versions:
    """Two of everything that can be written."""

    networks: tuple[RoadNetwork, RoadNetwork]
    results: tuple[Result, Result]


@dataclass
class Found:
    """What the kills of one writer left.

    How often something differed from the older files, the writer had failed by itself, and a temporary file had to be
    swept; and the names of files that were not whole, and of those that even the sweep left.
    """

    kills: int = 0
    changed: int = 0
    failed: int = 0
    swept: int = 0
    half: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)


Write = Callable[[Versions, int, Path], object]


def _network(suffix: str) -> Write:
    return lambda versions, version, folder: save(versions.networks[version], folder / f"saved{suffix}")


def _trace(versions: Versions, version: int, folder: Path) -> None:
    save_trace(versions.results[version], folder / "run.wftrace")


def _cache(versions: Versions, version: int, folder: Path) -> None:
    os.environ["WAYFRONT_CACHE"] = str(folder / "cache")
    cache.store("0" * 32, versions.networks[version])


def _picture(name: str) -> Write:
    def write(versions: Versions, version: int, folder: Path) -> None:
        from PySide6.QtGui import QColor, QImage

        from wayfront_gui.features.timing.export import save_picture

        image = QImage(300, 200, QImage.Format.Format_RGB32)
        image.fill(QColor("#204060" if version == OLD else "#a08020"))
        save_picture(image, folder / name)

    return write


def _timings(name: str) -> Write:
    def write(versions: Versions, version: int, folder: Path) -> None:
        from wayfront_gui.cli.compare import write_rows

        rows = [{**versions.results[version].summary(), "time_ms": {"median": 2.0, "min": 1.0, "max": 3.0, "runs": 3}}]
        write_rows(rows, str(folder / name), "dark", 1.0)

    return write


def _papers(name: str) -> Write:
    def write(_versions: Versions, version: int, folder: Path) -> None:
        from wayfront.papers import find_papers
        from wayfront_gui.cli.reproduce import write_comparisons

        papers = find_papers("A" if version == OLD else "B")
        write_comparisons(papers, [], str(folder / name), ("dark", "light")[version], 1.0)

    return write


def _settings(_versions: Versions, version: int, folder: Path) -> None:
    from PySide6.QtCore import QSettings

    store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    for key in range(100):
        store.setValue(f"key{key}", version)
    store.sync()


def _in_place(_versions: Versions, version: int, folder: Path) -> None:
    with (folder / "control").open("wb", buffering=0) as file:
        for _ in range(50):
            file.write(bytes([version]) * 1000)
            time.sleep(0.0005)


CONTROL = "in place"
"""A writer that does it wrong, which shows that kills are noticed."""

WRITERS: Mapping[str, Write] = {
    "trace": _trace,
    "cache": _cache,
    "wayfront": _network(".wayfront"),
    "gr": _network(".gr"),
    "gr.gz": _network(".gr.gz"),
    "graphml": _network(".graphml"),
    "png": _picture("map.png"),
    "jpg": _picture("map.jpg"),
    "tiff": _picture("map.tiff"),
    "bmp": _picture("map.bmp"),
    "webp": _picture("map.webp"),
    "timings.csv": _timings("times.csv"),
    "timings.json": _timings("times.json"),
    "timings.png": _timings("times.png"),
    "papers.csv": _papers("papers.csv"),
    "papers.json": _papers("papers.json"),
    "papers.svg": _papers("papers.svg"),
    "papers.png": _papers("papers.png"),
    "settings": _settings,
    CONTROL: _in_place,
}
"""Everything that writes a file, and the control, by a name: ``write(versions, OLD or NEW, folder)``."""


def prepare() -> Versions:
    """Return what is written, and start what drawing needs."""
    from PySide6.QtGui import QGuiApplication

    prepare.application = QGuiApplication.instance() or QGuiApplication(["kill"])  # type: ignore[attr-defined]
    made = wayfront.open_network(GRID, cache=False)
    tiny = wayfront.open_network(TEST_DATA / "tiny-d.gr", cache=False)
    networks = (tiny, made if made.coordinates is not None else made.with_coordinates(_places(made.node_count)))
    first, second = (
        wayfront.search(network, 0, "dijkstra-heap", "cpu", runs=0, trace_budget=1 << 24) for network in networks
    )
    return Versions(networks, (first, second))


def _places(count: int) -> Any:
    return np.stack([np.arange(count) % 24, np.arange(count) // 24], -1).astype(np.int32) * 1000


def kill(name: str, versions: Versions, kills: int, chance: random.Random) -> Found:
    """Kill one writer this often, each time at another moment of its work."""
    found = Found()
    with tempfile.TemporaryDirectory() as home:
        peace, war = Path(home, "peace"), Path(home, "war")
        expected: list[dict[str, Any]] = []
        for version in (OLD, NEW):
            folder = peace / str(version)
            folder.mkdir(parents=True)
            WRITERS[name](versions, version, folder)
            expected.append(_contents(folder))
        war.mkdir()
        started = time.perf_counter()
        WRITERS[name](versions, OLD, war)
        took_s = time.perf_counter() - started
        for _ in range(kills):
            found.kills += 1
            found.failed += not _kill_one(name, versions, war, chance.uniform(0, min(2.5 * took_s, LONGEST_WAIT_S)))
            left = _contents(war)
            found.half += [path for path, content in left.items() if not _is_whole(path, content, expected)]
            found.changed += any(path in left and left[path] != old for path, old in expected[OLD].items())
            found.swept += any(path.endswith(PARTIAL) for path in left)
            sweep_leftovers()
            found.left_over += sorted(_contents(war).keys() - expected[OLD].keys() - expected[NEW].keys())
            found.left_over += [path.name for path in (cache_folder() / "unfinished").glob("*")]
    return found


def _kill_one(name: str, versions: Versions, folder: Path, after_s: float) -> bool:
    """Let a copy of this process write, and kill it after a while; return whether it still ran."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, b"!")
            while True:
                for version in (NEW, OLD):
                    WRITERS[name](versions, version, folder)
        finally:
            os._exit(1)  # an error in a writer
    os.close(write)
    os.read(read, 1)
    os.close(read)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def _is_whole(path: str, content: Any, expected: list[dict[str, Any]]) -> bool:
    """Return whether a file holds what one of the versions does; a temporary file is none that anyone would open."""
    known = [version[path] for version in expected if path in version]
    return content in known if known else path.endswith(PARTIAL)


def _contents(folder: Path) -> dict[str, Any]:
    """Return what the files in a folder hold, as far as it does not depend on when they were written."""
    return {
        str(path.relative_to(folder)): _content(path)
        for path in sorted(folder.rglob("*"))
        # Qt locks its settings with a file, and takes over that of a dead process by itself. A settings.ini.XXXXXX that
        # it is about to rename is Qt's too: nothing opens it, and only a kill within that microsecond leaves it.
        if path.is_file() and ".lock" not in path.suffixes and path.parent.name != "unfinished"
        if not (path.stem == "settings.ini" and len(path.suffix) == 7)
    }


def _content(path: Path) -> Any:
    try:
        if path.suffix == ".gz":
            return gzip.decompress(path.read_bytes())
        if path.suffix == ".wftrace":
            with zipfile.ZipFile(path) as archive:
                return {name: archive.read(name) for name in archive.namelist()}
    except (OSError, EOFError, zipfile.BadZipFile) as problem:
        return repr(problem)
    return path.read_bytes()


def main() -> None:
    """Kill the writers that are named, or all, and print what was found."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WRITERS))
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--named", action="store_true")
    given = parser.parse_args()
    if given.named:
        files._OPEN_FILES = "none"
    with tempfile.TemporaryDirectory() as home:
        os.environ["WAYFRONT_CACHE"] = home
        versions = prepare()
        found = {}
        for name in given.names or [name for name in WRITERS if name != CONTROL]:
            os.environ["WAYFRONT_CACHE"] = home
            found[name] = asdict(kill(name, versions, given.kills, random.Random(f"{given.seed} {name}")))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
