"""Open mutated files, one after the other, in a process that another one watches.

``python -m soak.file_worker EXAMPLES FOLDER KIND SEED FIRST COUNT`` writes a line on stdout before each file
(``begin INDEX``) and one for each fault that can be told from inside: ``tracebacks INDEX TEXT``, ``bombs INDEX TEXT``.
A hang or a crash shows to the watcher, which finds the file as it was opened in FOLDER.
"""

from __future__ import annotations

import logging
import os
import random
import resource
import shutil
import sys
import traceback
import warnings
from pathlib import Path

from soak.kinds import COMPANIONS, KINDS, Kind

BOMB_BYTES = 1 << 30
"""More than this for a file below 1 MB is a bomb."""
_ADDRESS_SPACE = 8 << 30
"""What the worker may map: a file that would take all memory fails here instead."""


def mutated(kind: Kind, example: bytes, seed: int, index: int) -> bytes:
    """Return the content that a seed and an index name."""
    return kind.change(random.Random(f"{seed} {kind.name} {index}"), example)


def run(examples: Path, folder: Path, kind: Kind, seed: int, first: int, count: int) -> None:
    """Open ``count`` mutated files from the ``first`` on. Ends early after a bomb, since a peak stays a peak."""
    from wayfront import open_network
    from wayfront.errors import WayfrontError

    report = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    example = (examples / kind.file).read_bytes()
    network = open_network(examples / "map.wayfront", cache=False)
    path = folder / kind.file
    for name in COMPANIONS:
        shutil.copy(examples / name, folder / name)
    os.environ["WAYFRONT_CACHE"] = str(folder / "cache")
    kind.use(_laid(path, example), network)  # loads and compiles everything: that is no file's fault
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = 0
    for index in range(first, first + count):
        content = mutated(kind, example, seed, index)
        _laid(path, content)
        _laid(folder / "attempt", content)
        report.write(f"begin {index}\n")
        try:
            taken += kind.use(path, network)
        except WayfrontError:
            pass
        except MemoryError:
            report.write(f"bombs {index} MemoryError at {_place()}\n")
        except Exception as problem:
            report.write(f"tracebacks {index} {type(problem).__name__} at {_place()}: {str(problem)[:100]!r}\n")
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        if grown > BOMB_BYTES:
            report.write(f"bombs {index} took {grown / 1e9:.1f} GB\n")
            report.write(f"taken {taken}\n")
            return
    report.write(f"taken {taken}\n")


def _laid(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _place() -> str:
    """Return where the present exception was raised: the last line of the program's own in the traceback."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    own = [frame for frame in frames if "wayfront" in frame.filename] or frames
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}"


def main() -> None:
    """Run as the command line asks."""
    examples, folder, name, seed, first, count = sys.argv[1:]
    warnings.simplefilter("ignore")
    logging.disable()
    kind = next(kind for kind in KINDS if kind.name == name)
    run(Path(examples), Path(folder), kind, int(seed), int(first), int(count))


if __name__ == "__main__":
    main()
