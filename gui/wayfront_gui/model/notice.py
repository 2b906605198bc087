"""Change notifications without Qt: a list of callbacks."""

from __future__ import annotations

from collections.abc import Callable


class Notice:
    """One kind of change to which others may connect.

    Callbacks run in the caller's thread, in the order in which they were connected, and read from the model itself
    what has changed.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def connect(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` at every later change."""
        self._listeners.append(listener)

    def __call__(self) -> None:
        """Call every listener."""
        for listener in tuple(self._listeners):
            listener()
