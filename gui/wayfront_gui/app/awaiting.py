"""What is being compiled by another process, and waiting for it; on any thread. No Qt."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import wayfront
from wayfront.safe.errors import SearchCancelled
from wayfront.safe.folders import cache_folder

SEARCH, MAP, TREES = STAGES = ("search", "map", "trees")
"""What is compiled, in this order: searches on the processor, the map, and trees that follow the mouse."""
_FOLDER = "compiling"
"""In the cache's folder."""
_OF_KERNELS = ("algorithms", "devices", "dissection", "kernels")
_LOOKS_S = 0.05


def turn_note() -> Path:
    """Return the file that a process locks while it compiles a part."""
    return cache_folder() / _FOLDER / "turn"


def finished_note() -> Path:
    """Return the file that is there once everything is compiled from these sources, for this Python, where it is kept.

    It spares a start from loading Numba before the first picture; whether it is right is looked at after that.
    """
    engine, gui = Path(wayfront.__file__).parent, Path(__file__).parents[1]
    sources = [engine / name for name in _OF_KERNELS] + [gui / "map"]
    dates = [entry.stat().st_mtime_ns for folder in sources for entry in sorted(folder.glob("*.py"))]
    made_of = (wayfront.__version__, sys.version, str(engine), os.environ.get("NUMBA_CACHE_DIR"), dates)
    return cache_folder() / _FOLDER / hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]


@dataclass(slots=True)
class Awaited:
    """What threads know of the process: how far it is in words, and which stages are done; all where none runs."""

    text: str = ""
    picture: threading.Event = field(default_factory=threading.Event)
    """Set but between the start of the program and its first picture: what loads a compiler waits for that."""
    stages: dict[str, threading.Event] = field(default_factory=lambda: {stage: threading.Event() for stage in STAGES})

    def begin(self) -> None:
        """Let all stages be waited for."""
        for stage in self.stages.values():
            stage.clear()

    def end(self) -> None:
        """Let nothing be waited for any more."""
        self.text = ""
        for stage in self.stages.values():
            stage.set()


awaited = Awaited()
awaited.end()
awaited.picture.set()


def is_compiled(stage: str) -> bool:
    """Return whether nothing of a stage is being compiled by another process."""
    return awaited.stages[stage].is_set()


def await_picture(cancel: threading.Event) -> None:
    """Wait for the program's first picture, or until ``cancel`` is set.

    Loading Numba holds Python's lock most of the time, and the picture would come later for it, the search no sooner.
    """
    while not awaited.picture.wait(_LOOKS_S) and not cancel.is_set():
        pass


def await_compiled(stage: str, cancel: threading.Event, report: Callable[[str, float], None]) -> None:
    """Wait until another process has compiled a stage, and report how far it is. Raises ``SearchCancelled``."""
    while not awaited.stages[stage].wait(_LOOKS_S):
        if cancel.is_set():
            raise SearchCancelled("stopped while kernels were compiled")
        report(awaited.text, -1.0)
