"""What has changed, and what subjects beside the search keep for a slot: no Qt, and no name of any subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from wayfront_gui.session.slot import Slot


class Notice:
    """One kind of change to which others may connect.

    Callbacks run in the caller's thread, in the order in which they were connected, and read from the model itself
    what has changed.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[], object]] = []

    def connect(self, listener: Callable[[], object]) -> None:
        """Call ``listener`` at every later change."""
        self._listeners.append(listener)

    def __call__(self) -> None:
        """Call every listener."""
        for listener in tuple(self._listeners):
            listener()


@dataclass(eq=False)
class SearchNotices:
    """What is reported of one search: by a slot of its own, by a session of the slot that is active."""

    network_closing: Notice = field(default_factory=Notice)
    """Another network is about to take the open one's place: whatever was begun on that one ends now."""
    network_changed: Notice = field(default_factory=Notice)
    choice_changed: Notice = field(default_factory=Notice)
    source_changed: Notice = field(default_factory=Notice)
    target_changed: Notice = field(default_factory=Notice)
    result_changed: Notice = field(default_factory=Notice)
    live_changed: Notice = field(default_factory=Notice)
    dragged_changed: Notice = field(default_factory=Notice)
    view_changed: Notice = field(default_factory=Notice)
    measure_changed: Notice = field(default_factory=Notice)
    closures_changed: Notice = field(default_factory=Notice)

    def pairs_with(self, other: SearchNotices) -> list[tuple[Notice, Notice]]:
        """Return each of these notices with that of the same name of another."""
        return [(getattr(self, notice.name), getattr(other, notice.name)) for notice in fields(SearchNotices)]


class SlotState:
    """What a subject beside the search keeps for one slot, such as the width of bands of distance.

    A slot makes one the first time that it is asked for, and calls ``changed`` of nobody: the state does, and a session
    repeats that of the slot which is active.
    """

    KEPT: ClassVar[str] = ""
    """Its name in sessions that are kept, "" for what is not."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.changed = Notice()

    def about(self, _node: int) -> str:
        """Return what is to be said of a node under the pointer, "" for nothing."""
        return ""

    def forget(self) -> None:
        """Keep nothing that belongs to the network which is closed."""

    def kept(self) -> dict[str, Any] | None:
        """Return what a session keeps of it, as plain values of JSON; None for nothing."""
        return None

    def take_kept(self, plain: dict[str, Any]) -> None:
        """Take what ``kept`` returned of an equal network; it may be damaged or a stranger's."""


StateOf = TypeVar("StateOf", bound=SlotState)


MOST_UNDONE = 200
"""Changes that can be undone."""
State = TypeVar("State")


@dataclass(frozen=True, slots=True, eq=False)
class History(Generic[State]):
    """The state now, those before it, and those that were undone."""

    now: State
    before: tuple[State, ...] = ()
    after: tuple[State, ...] = ()

    def changed(self, state: State) -> History[State]:
        """Return the history with another state; the same where it is equal to the one now."""
        return self if state == self.now else History(state, (*self.before, self.now)[-MOST_UNDONE:])

    def undone(self) -> History[State]:
        """Return the history one change earlier; the same where there is none."""
        return History(self.before[-1], self.before[:-1], (self.now, *self.after)) if self.before else self

    def redone(self) -> History[State]:
        """Return the history with the change that was undone last; the same where there is none."""
        return History(self.after[0], (*self.before, self.now), self.after[1:]) if self.after else self


MOST_LANES = 6
"""Slots at most."""


class Walk(StrEnum):
    """What grows evenly while the replay plays."""

    STEP = "step"
    TIME = "time"
    DISTANCE = "distance"
