"""What undo goes back to and redo on to: states that are replaced as a whole. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

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
