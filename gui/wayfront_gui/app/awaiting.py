"""What is being compiled by another process, and waiting for it; on any thread. No Qt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from wayfront.safe.errors import SearchCancelled

SEARCH, MAP, TREES = STAGES = ("search", "map", "trees")
"""What is compiled, in this order: searches on the processor, the map, and trees that follow the mouse."""
FOLDER, UNFINISHED = "compiling", "unfinished"
"""A folder of the cache, and a file in it that is there until all is compiled, locked while a part is."""
_LOOKS_S = 0.05


@dataclass(slots=True)
class Awaited:
    """What threads know of the process: how far it is in words, and which stages are done; all where none runs."""

    text: str = ""
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


def is_compiled(stage: str) -> bool:
    """Return whether nothing of a stage is being compiled by another process."""
    return awaited.stages[stage].is_set()


def await_compiled(stage: str, cancel: threading.Event, report: Callable[[str, float], None]) -> None:
    """Wait until another process has compiled a stage, and report how far it is. Raises ``SearchCancelled``."""
    while not awaited.stages[stage].wait(_LOOKS_S):
        if cancel.is_set():
            raise SearchCancelled("stopped while kernels were compiled")
        report(awaited.text, -1.0)
