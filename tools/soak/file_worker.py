"""Open mutated files, one after the other, in a process that another one watches.

``python -m soak.file_worker EXAMPLES FOLDER SEED JOBS`` takes the jobs as JSON, [[kind, first file, count], …]. It
writes a line on stdout before each file, ``begin JOB INDEX``, and one if the file was ``taken`` or showed a fault that
can be told from inside: ``tracebacks TEXT``, ``bombs TEXT``. Hangs and crashes show to the watcher, which finds the
file in FOLDER as ``attempt-INDEX``; those of files without a fault are deleted.
"""

from __future__ import annotations

import json
import logging
import os
import random
import resource
import shutil
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from soak.kinds import COMPANIONS, KINDS, Kind

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

BOMB_BYTES = 1 << 30
"""More than this for a file below 1 MB is a bomb."""
_TAKEN = "taken"
_ADDRESS_SPACE = 8 << 30
"""What the worker may map: a file that would take all memory fails here instead."""


def mutated(kind: Kind, example: bytes, seed: int, index: int) -> bytes:
    """Return the content that a seed and an index name."""
    return kind.change(random.Random(f"{seed} {kind.name} {index}"), example)


def run(examples: Path, folder: Path, seed: int, jobs: list[tuple[str, int, int]]) -> None:
    """Open the mutated files of all jobs. Ends early after a bomb, since a peak stays a peak."""
    from wayfront import open_network

    report = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    network = open_network(examples / "map.wayfront", cache=False)
    os.environ["WAYFRONT_CACHE"] = str(folder / "cache")
    kinds = {kind.name: kind for kind in KINDS}
    for name in {name for name, _, _ in jobs}:  # loads and compiles everything: that is no file's fault
        kinds[name].use(_prepared(kinds[name], examples, folder), network)
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number, (name, first, count) in enumerate(jobs):
        kind, example = kinds[name], (examples / kinds[name].file).read_bytes()
        path = _prepared(kind, examples, folder)
        for index in range(first, first + count):
            content = mutated(kind, example, seed, index)
            attempt = folder / f"attempt-{index}"
            for written in (path, attempt):
                written.write_bytes(content)
            report.write(f"begin {number} {index}\n")
            said = _attempt(kind, path, network)
            if said:
                report.write(f"{said}\n")
            if said in ("", _TAKEN):
                attempt.unlink()
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            if grown > BOMB_BYTES:
                attempt.write_bytes(content)
                report.write(f"bombs took {grown / 1e9:.1f} GB\n")
                return


def _attempt(kind: Kind, path: Path, network: RoadNetwork) -> str:
    """Use a file and return what to report: that it was taken, that something came out, or nothing."""
    from wayfront.safe.errors import WayfrontError

    try:
        return _TAKEN if kind.use(path, network) else ""
    except WayfrontError:
        return ""
    except MemoryError:
        return f"bombs MemoryError at {_place()}"
    except Exception as problem:  # whatever else comes out is the fault that is looked for
        return f"tracebacks {type(problem).__name__} at {_place()}: {str(problem)[:100]!r}"


def _prepared(kind: Kind, examples: Path, folder: Path) -> Path:
    """Copy the example and the files that lie beside it, whole, and return its path."""
    for name in {*COMPANIONS, kind.file}:
        shutil.copy(examples / name, folder / name)
    return folder / kind.file


def _place() -> str:
    """Return where the present exception was raised: the last line of the program's own in the traceback."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    own = [frame for frame in frames if "wayfront" in frame.filename] or frames
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}"


def main() -> None:
    """Run as the command line asks."""
    examples, folder, seed, jobs = sys.argv[1:]
    warnings.simplefilter("ignore")
    logging.disable()
    run(Path(examples), Path(folder), int(seed), json.loads(jobs))


if __name__ == "__main__":
    main()
