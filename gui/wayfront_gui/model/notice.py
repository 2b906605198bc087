"""Who is told when something changed: a list of callbacks, so that models need no Qt."""

from __future__ import annotations

from collections.abc import Callable


class Notice:
    """One kind of change that others may listen to.

    Callbacks run in the caller's thread, in the order in which they connected, and read the news from the
    model itself.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def connect(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` at every later change."""
        self._listeners.append(listener)

    def __call__(self) -> None:
        """Tell everyone."""
        for listener in tuple(self._listeners):
            listener()
