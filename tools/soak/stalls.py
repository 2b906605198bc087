"""Notes every time the window's event loop stood still, and in which line of which function it stood.

A timer ticks in the event loop; a thread looks at the clock, and where a tick is overdue it notes the stack of the
window's thread. A stall is the time between two ticks, so it counts whatever the loop did: Python, Qt, a compiler.
"""

from __future__ import annotations

import faulthandler
import tempfile
import threading
import time
from dataclasses import dataclass
from types import TracebackType

from frame_times import Pauses

TICK_MS = 5
LOOK_S = 0.01
LONGEST_MS = 100.0
"""What a person does not notice."""


@dataclass(frozen=True, slots=True)
class Stall:
    """One time that the event loop stood still, with the stack that was seen most of that time.

    ``busy_ms`` is the processor time of the window's thread in it: far less than ``milliseconds`` where the thread
    waited, for a file, for another thread, or on a busy machine for a core.
    """

    milliseconds: float
    busy_ms: float
    where: str


class StallWatch(Pauses):
    """A context manager: ``stalls`` are those of at least ``longest_ms``, ``worst_ms`` the longest wait of all,
    ``busiest_ms`` the most processor time that the window's thread took without a tick.
    """

    def __init__(self, longest_ms: float = LONGEST_MS) -> None:
        super().__init__(TICK_MS)
        self._least_ms = longest_ms
        self.stalls: list[Stall] = []
        self._seen: dict[str, int] = {}
        self._over = threading.Event()
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._look, name="stall watch", daemon=True)

    def __enter__(self) -> StallWatch:
        super().__enter__()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, problem, trace)
        self._over.set()
        self._thread.join()

    @property
    def worst_ms(self) -> float:
        """The longest wait of all."""
        return self.longest_ms

    def note(self, stood_ms: float, busy_ms: float) -> None:
        """Take the time between two ticks, and where the loop stood if that was long."""
        super().note(stood_ms, busy_ms)
        seen, self._seen = self._seen, {}
        if stood_ms >= self._least_ms:
            self.stalls.append(Stall(stood_ms, busy_ms, max(seen, key=seen.__getitem__, default="not seen")))

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            if time.perf_counter() - self._last[0] > 3 * LOOK_S:
                where = _stack_of(self._watched)
                self._seen[where] = self._seen.get(where, 0) + 1


def _stack_of(thread: int) -> str:
    """Return the innermost functions of a thread as one line, the innermost first.

    Not through ``sys._current_frames``: a frame that another thread holds keeps its painter alive after the painting.
    """
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        blocks = file.read().split("\n\n")
    block = next((b for b in blocks if f"{thread:#018x}" in b.partition("\n")[0]), "")
    lines = [line.strip().removeprefix("File ") for line in block.splitlines()[1:8]]
    return " < ".join(f"{line.rpartition('/')[2].replace(chr(34), '')}" for line in lines)
