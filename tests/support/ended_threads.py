"""Which threads a test leaves behind: those that still run when each has had time to end."""

from __future__ import annotations

import threading
from collections.abc import Collection

ENDING_S = 10.0


def left_running(before: Collection[threading.Thread], kept: tuple[str, ...] = ()) -> list[threading.Thread]:
    """Return the threads that began after `before` and go on, without those whose names begin with one of `kept`.

    A thread that has been told to end (a progress line's) may need a moment for it, so each is waited for.
    """
    begun = [t for t in threading.enumerate() if t not in before and not t.name.startswith(kept)]
    for thread in begun:
        thread.join(ENDING_S)
    return [thread for thread in begun if thread.is_alive()]
