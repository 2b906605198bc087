"""Notices that kernels are being compiled, which takes many seconds on a machine's first start. This imports Numba."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

_COMPILING, _PASS_FOR_A_CARD = "numba:compile", "numba-cuda:run_pass"
"""What Numba and numba-cuda report: a function, and one of the many passes over one."""
_UNNOTICED_S = 0.4
"""Compiling that takes no longer, as for one small loop, is not worth a word."""


class _Watch:
    """Calls a function once, as soon as compiling has taken a while; loading from Numba's cache is no compiling."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._began = self._spent_s = 0.0
        self._depth, self._told = 0, False

    def begin(self) -> None:
        """Note that a function begins to be compiled, or a pass over one; it compiles those that it calls within."""
        if self._depth == 0:
            self._began = time.perf_counter()
        self._depth += 1
        self._look()

    def end(self) -> None:
        """Note that that is done."""
        self._look()
        self._depth -= 1
        if self._depth == 0:
            self._spent_s += time.perf_counter() - self._began

    def _look(self) -> None:
        if not self._told and self._spent_s + time.perf_counter() - self._began > _UNNOTICED_S:
            self._told = True
            self._tell()


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` once if kernels are compiled for more than a moment while the block lasts, for whatever device."""
    watch = _Watch(tell)
    sources = [(event, _COMPILING), *((of_cards, _PASS_FOR_A_CARD) for of_cards in _of_cards())]
    listening = [(events, kind, _listener(events, watch)) for events, kind in sources]
    for events, kind, listener in listening:
        events.register(kind, listener)
    try:
        yield
    finally:
        for events, kind, listener in listening:
            events.unregister(kind, listener)


def _listener(events: Any, watch: _Watch) -> Any:
    """Return a listener of the class that one of Numba's two modules of events asks for."""

    class Listener(events.Listener):
        def on_start(self, event: Any) -> None:
            watch.begin()

        def on_end(self, event: Any) -> None:
            watch.end()

    return Listener()


def _of_cards() -> list[Any]:
    """Return the events of numba-cuda, which has its own; none without it, or where it simulates."""
    try:
        from numba.cuda.core import event as of_cards
    except ImportError:
        return []
    return [] if of_cards is event else [of_cards]
