"""The replay: which step each player shows, and the clock that moves one player or several together.

Three walks lead through the same steps: every step takes as long as any other; each takes its share of the time
that the device measured; or the settled distance grows evenly. A walk is a rising table ``marks`` that puts step
``i`` at ``marks[i]`` in 0 … 1, so that a position is a fraction of the walk and the other way round.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.trace.schema import Trace
from wayfront_gui.model.notice import Notice

WHOLE_REPLAY_S = 7.0
"""How long a replay lasts at speed 1 …"""
LONGEST_STEP_S = 0.5
"""… unless it has so few steps that each would be shown for longer than this."""
SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class Walk(StrEnum):
    """What grows evenly while the replay plays."""

    STEP = "step"
    TIME = "time"
    DISTANCE = "distance"


WALK_LABELS = {Walk.STEP: "By step", Walk.TIME: "By time", Walk.DISTANCE: "By distance"}
"""The name of each walk in the menu, the replay panel and the palette."""
WALK_HINTS = {
    Walk.STEP: "Every step takes as long as any other",
    Walk.TIME: "Each step takes its share of the measured time, slowed down",
    Walk.DISTANCE: "The settled distance grows evenly",
}


class ReplayClock:
    """Whether the replay plays, how fast and along which walk, for one player or for several at once.

    Players of one clock walk on one scale: of two searches the one with fewer steps (less time, a shorter distance)
    ends earlier. ``seconds`` returns the present time. Somebody calls ``advance`` often while ``playing``; positions
    depend on the time alone, not on how often.
    """

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._players: list[Player] = []
        self._last_tick = 0.0
        self.playing = False
        self.speed = 1.0
        self.walk = Walk.STEP

        self.playing_changed = Notice()
        self.pace_changed = Notice()

    def add(self, player: Player) -> None:
        """Move ``player`` from now on."""
        self._players.append(player)

    def remove(self, player: Player) -> None:
        """Move ``player`` no longer."""
        self._players.remove(player)
        if not self._loaded:
            self.pause()

    @property
    def _loaded(self) -> list[Player]:
        return [player for player in self._players if player.trace is not None]

    @property
    def duration_s(self) -> float:
        """How long the longest replay lasts at the speed chosen."""
        steps = max((player.step_count for player in self._players), default=0)
        return min(WHOLE_REPLAY_S, LONGEST_STEP_S * max(steps, 1)) / self.speed

    def play(self) -> None:
        """Go on from here, or from the start if every player is at its end."""
        players = self._loaded
        if not players or self.playing:
            return
        if all(player.position >= player.last for player in players):
            for player in players:
                player.seek(0.0)
        self.restart_tick()
        self.playing = True
        self.playing_changed()

    def pause(self) -> None:
        """Stop where the players are."""
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
        """Move every player to where the time says; pause when all have ended."""
        if not self.playing:
            return
        before = self._last_tick
        self.restart_tick()
        share = (self._last_tick - before) / self.duration_s
        players = self._loaded
        longest = max(player.extent for player in players)
        ended = [p for p in players if not p.ended and p.move_on(share * (longest / p.extent if p.extent else 1.0))]
        if all(player.ended for player in players):
            self.pause()
        for player in ended:
            player.finished()

    def restart_tick(self) -> None:
        """Leave out the time since the last tick, for instance because a person moved a player."""
        self._last_tick = self._seconds()

    def set_speed(self, speed: float) -> None:
        """Play ``speed`` times as fast as by default."""
        self.speed = min(max(speed, SPEEDS[0]), SPEEDS[-1])
        self.pace_changed()

    def faster(self, notches: int = 1) -> None:
        """Take the next higher speed of ``SPEEDS``, or a lower one for negative ``notches``."""
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.speed))
        self.set_speed(SPEEDS[min(max(nearest + notches, 0), len(SPEEDS) - 1)])

    def set_walk(self, walk: Walk) -> None:
        """Walk evenly by step, by measured time or by settled distance; every player stays at its step."""
        self.walk = walk
        for player in self._players:
            player.measure_walk()
        self.pace_changed()


class Player:
    """A position in one replay, 0 … last step; fractions are between two steps."""

    def __init__(self, clock: ReplayClock) -> None:
        self.clock = clock
        self._trace: Trace | None = None
        self._distances: NDArray[Any] | None = None
        self._marks = np.zeros(1)
        self.extent = 0.0
        """Steps, nanoseconds or distance from the first to the last step, by the walk; 0 if it is not known."""
        self.position = 0.0
        self.ended = False
        """Whether playing has reached the end since the position was last set."""

        self.moved = Notice()
        self.loaded = Notice()
        self.finished = Notice()
        clock.add(self)

    # --------------------------------------------------------------------------------------------- what is played

    def load(self, trace: Trace | None, distances: NDArray[Any] | None) -> None:
        """Show the start of ``trace``; ``distances`` [n] are the final ones. None empties the player."""
        self.clock.pause()
        self._trace = trace if trace is not None and len(trace) else None
        self._distances = distances
        self.position, self.ended = 0.0, False
        self.measure_walk()

    def follow(self, trace: Trace) -> None:
        """Show a search that still runs, with at least one step: at its last one, unless a person moved elsewhere.

        A first trace is followed from its end on; a later one replaces the one before, which it continues.
        """
        at_end = self._trace is None or self.position >= self.last
        self._trace, self._distances = trace, None
        follows = at_end and not self.clock.playing
        self.position = float(self.last) if follows else min(self.position, float(self.last))
        self.ended = False
        self.measure_walk()

    def measure_walk(self) -> None:
        """Measure the trace along the clock's walk anew; the position stays."""
        self._marks, self.extent = self._make_marks()
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
        """Where each step begins along the walk, float64 [steps] rising from 0 to 1."""
        return self._marks

    @property
    def fraction(self) -> float:
        """How far the replay is along its walk, 0 … 1."""
        step = self.step
        ahead = self._marks[min(step + 1, self.last)] - self._marks[step]
        return float(self._marks[step] + max(self.position - step, 0.0) * ahead)

    def _make_marks(self) -> tuple[NDArray[np.float64], float]:
        """Return the table of the walk, and its length before it was scaled to 1."""
        trace, count, walk = self._trace, self.step_count, self.clock.walk
        if trace is None or count == 1:
            return np.zeros(1), 0.0
        even = np.linspace(0.0, 1.0, count)
        if walk is Walk.STEP:
            return even, float(self.last)
        if walk is Walk.TIME:
            marks = np.concatenate(([0.0], np.cumsum(trace.time_ns[:-1], dtype=np.float64)))
        elif self._distances is None:  # a search that still runs has no final distances to walk by
            return even, 0.0
        else:
            marks = trace.settled_distance(self._distances).astype(np.float64)
            marks -= marks[0]
        if marks[-1] <= 0:
            return even, 0.0
        # A hair of the even walk keeps the table strictly rising, so that every step can be reached.
        return (1 - 1e-6) * marks / marks[-1] + 1e-6 * even, float(marks[-1])

    # ------------------------------------------------------------------------------------------------ moving

    def move_on(self, fraction: float) -> bool:
        """Move forward by a fraction of the whole walk; return whether that reached the end."""
        fraction += self.fraction
        self.ended = fraction >= 1 or self.last == 0
        self._move_to_fraction(fraction)
        return self.ended

    def seek(self, position: float) -> None:
        """Show the given step at once (playing goes on from there)."""
        self.clock.restart_tick()
        self.position, self.ended = min(max(position, 0.0), float(self.last)), False
        self.moved()

    def seek_fraction(self, fraction: float) -> None:
        """Show the given fraction of the walk at once (playing goes on from there)."""
        self.clock.restart_tick()
        self.ended = False
        self._move_to_fraction(fraction)

    def step_by(self, steps: int) -> None:
        """Pause and go whole steps forward or back."""
        self.clock.pause()
        self.seek(float(self.step + steps))

    def _move_to_fraction(self, fraction: float) -> None:
        marks = self._marks
        step = int(np.clip(np.searchsorted(marks, fraction, "right") - 1, 0, max(self.last - 1, 0)))
        ahead = marks[min(step + 1, self.last)] - marks[step]
        inside = 0.0 if ahead <= 0 else (fraction - marks[step]) / ahead
        self.position = min(step + min(max(float(inside), 0.0), 1.0), float(self.last))
        self.moved()
