"""Change notifications without Qt: a list of callbacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields


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


@dataclass(eq=False)
class SearchNotices:
    """What is reported of one search: by a slot of its own, by a session of the slot that is active."""

    network_changed: Notice = field(default_factory=Notice)
    choice_changed: Notice = field(default_factory=Notice)
    source_changed: Notice = field(default_factory=Notice)
    target_changed: Notice = field(default_factory=Notice)
    result_changed: Notice = field(default_factory=Notice)
    live_changed: Notice = field(default_factory=Notice)
    depots_changed: Notice = field(default_factory=Notice)
    isochrones_changed: Notice = field(default_factory=Notice)
    dragged_changed: Notice = field(default_factory=Notice)
    view_changed: Notice = field(default_factory=Notice)
    measure_changed: Notice = field(default_factory=Notice)
    closures_changed: Notice = field(default_factory=Notice)
    detours_changed: Notice = field(default_factory=Notice)
    critical_changed: Notice = field(default_factory=Notice)

    def pairs_with(self, other: SearchNotices) -> list[tuple[Notice, Notice]]:
        """Return each of these notices with that of the same name of another."""
        return [(getattr(self, notice.name), getattr(other, notice.name)) for notice in fields(SearchNotices)]
