"""Where the replay is: which step is shown, how fast it goes on, and along which axis it walks.

Three walks lead through the same steps: every step takes as long as any other; each takes its share of the time
that the device measured; or the settled distance grows evenly. A walk is a rising table ``marks`` that places
step ``i`` at ``marks[i]`` in 0 … 1, so that position and place are each other's interpolation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.trace.recorder import Trace
from wayfront_gui.model.notice import Notice

WHOLE_REPLAY_S = 7.0
"""How long a replay lasts at speed 1 …"""
LONGEST_STEP_S = 0.5
"""… unless it has so few steps that each would stand longer than this."""
SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class Walk(StrEnum):
    """What grows evenly while the replay plays."""

    STEP = "step"
    TIME = "time"
    DISTANCE = "distance"


class Player:
    """A position in a replay, 0 … last step; fractions lie between two steps.

    ``clock`` returns seconds. Somebody calls ``advance`` often while ``playing``; the position depends on the
    clock alone, not on how often.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._trace: Trace | None = None
        self._distances: NDArray[Any] | None = None
        self._marks = np.zeros(1)
        self._last_tick = 0.0
        self.position = 0.0
        self.playing = False
        self.speed = 1.0
        self.walk = Walk.STEP

        self.moved = Notice()
        self.playing_changed = Notice()
        self.loaded = Notice()
        self.finished = Notice()

    # --------------------------------------------------------------------------------------------- what is played

    def load(self, trace: Trace | None, distances: NDArray[Any] | None) -> None:
        """Stand at the start of ``trace``; ``distances`` [n] are the final ones. None empties the player."""
        self.pause()
        self._trace = trace if trace is not None and len(trace) else None
        self._distances = distances
        self._marks = self._make_marks()
        self.position = 0.0
        self.loaded()
        self.moved()

    def follow(self, trace: Trace) -> None:
        """Show a search that still runs, with at least one step: at its last one, unless a person went elsewhere.

        A first trace is followed from its end on; a later one takes the place of the one before, which it continues.
        """
        at_end = self._trace is None or self.position >= self.last
        self._trace, self._distances = trace, None
        self._marks = self._make_marks()
        self.position = float(self.last) if at_end and not self.playing else min(self.position, float(self.last))
        self.loaded()
        self.moved()

    @property
    def trace(self) -> Trace | None:
        """The trace that is played, None if there is none."""
        return self._trace

    @property
    def step_count(self) -> int:
        """Steps of the trace, 0 without one."""
        return 0 if self._trace is None else len(self._trace)

    @property
    def last(self) -> int:
        """The last position."""
        return max(self.step_count - 1, 0)

    @property
    def step(self) -> int:
        """The step that is shown."""
        return min(int(self.position + 1e-9), self.last)

    @property
    def marks(self) -> NDArray[np.float64]:
        """Where each step stands along the walk, float64 [steps] rising from 0 to 1."""
        return self._marks

    @property
    def fraction(self) -> float:
        """How far the replay is along its walk, 0 … 1."""
        step = self.step
        ahead = self._marks[min(step + 1, self.last)] - self._marks[step]
        return float(self._marks[step] + max(self.position - step, 0.0) * ahead)

    @property
    def duration_s(self) -> float:
        """How long the whole replay lasts at the speed chosen."""
        return min(WHOLE_REPLAY_S, LONGEST_STEP_S * max(self.step_count, 1)) / self.speed

    @property
    def slowdown(self) -> float | None:
        """How many times slower than the traced run the replay is, None unless it walks by time."""
        if self.walk is not Walk.TIME or self._trace is None:
            return None
        device_s = float(self._trace.time_ns.sum()) * 1e-9
        return self.duration_s / device_s if device_s > 0 else None

    def _make_marks(self) -> NDArray[np.float64]:
        trace, count = self._trace, self.step_count
        if trace is None or count == 1:
            return np.zeros(1)
        even = np.linspace(0.0, 1.0, count)
        if self.walk is Walk.STEP:
            return even
        if self.walk is Walk.TIME:
            marks = np.concatenate(([0.0], np.cumsum(trace.time_ns[:-1], dtype=np.float64)))
        elif self._distances is None:  # a search that still runs has no final distances to walk by
            return even
        else:
            marks = trace.settled_distance(self._distances).astype(np.float64)
            marks -= marks[0]
        if marks[-1] <= 0:
            return even
        # A hair of the even walk keeps the table strictly rising, so that every step can be reached.
        return (1 - 1e-6) * marks / marks[-1] + 1e-6 * even

    # ------------------------------------------------------------------------------------------------ playing

    def play(self) -> None:
        """Go on from here, or from the start if this is the end."""
        if self._trace is None or self.playing:
            return
        if self.position >= self.last:
            self.position = 0.0
            self.moved()
        self._last_tick = self._clock()
        self.playing = True
        self.playing_changed()

    def pause(self) -> None:
        """Stand still."""
        if self.playing:
            self.playing = False
            self.playing_changed()

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def advance(self) -> None:
        """Move to where the clock says; at the end the replay pauses and is ``finished``."""
        if not self.playing:
            return
        now = self._clock()
        elapsed, self._last_tick = now - self._last_tick, now
        fraction = self.fraction + elapsed / self.duration_s
        self._stand_at_fraction(fraction)
        if fraction >= 1:
            self.pause()
            self.finished()

    def set_speed(self, speed: float) -> None:
        """Play ``speed`` times as fast as by default."""
        self.speed = min(max(speed, SPEEDS[0]), SPEEDS[-1])
        self.loaded()

    def faster(self, notches: int = 1) -> None:
        """Take the next higher speed of ``SPEEDS``, or a lower one for negative ``notches``."""
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.speed))
        self.set_speed(SPEEDS[min(max(nearest + notches, 0), len(SPEEDS) - 1)])

    def set_walk(self, walk: Walk) -> None:
        """Walk evenly by step, by measured time or by settled distance; the position stays."""
        self.walk = walk
        self._marks = self._make_marks()
        self.loaded()
        self.moved()

    # ------------------------------------------------------------------------------------------------ moving

    def seek(self, position: float) -> None:
        """Show the given step at once (playing goes on from there)."""
        self.position = min(max(position, 0.0), float(self.last))
        self._last_tick = self._clock()
        self.moved()

    def seek_fraction(self, fraction: float) -> None:
        """Show the given place along the walk at once."""
        self._last_tick = self._clock()
        self._stand_at_fraction(fraction)

    def step_by(self, steps: int) -> None:
        """Pause and go whole steps forward or back."""
        self.pause()
        self.seek(float(self.step + steps))

    def _stand_at_fraction(self, fraction: float) -> None:
        marks = self._marks
        step = int(np.clip(np.searchsorted(marks, fraction, "right") - 1, 0, max(self.last - 1, 0)))
        ahead = marks[min(step + 1, self.last)] - marks[step]
        inside = 0.0 if ahead <= 0 else (fraction - marks[step]) / ahead
        self.position = min(step + min(max(float(inside), 0.0), 1.0), float(self.last))
        self.moved()
