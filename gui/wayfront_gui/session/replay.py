"""The clock of replays: it moves one player or several together, forward or back, once or in a loop.

Three walks lead through the same steps: every step takes as long as any other; each takes its share of the time that
the device measured; or the settled distance grows evenly. The clock stands at ``now``, counted in what the walk makes
grow evenly, and so does every player: of two searches the one with fewer steps (less time, a shorter distance) ends
earlier, and moving one by hand moves the others along.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.trace.schema import Trace
from wayfront_gui.session.state import Notice, Walk
from wayfront_gui.ui.translation import marked

WHOLE_REPLAY_S = 7.0
"""How long a replay lasts at speed 1 …"""
LONGEST_STEP_S = 0.5
"""… unless it has so few steps that each would be shown for longer than this."""
LOOP_REST_S = 0.8
"""How long a loop shows its last picture before it begins again."""
SPEEDS = tuple(2.0**power for power in range(-6, 7))
"""From 1/64 to 64 times the usual speed."""


WALK_LABELS = {Walk.STEP: marked("By step"), Walk.TIME: marked("By time"), Walk.DISTANCE: marked("By distance")}
"""The name of each walk in the menu, the replay panel and the search box."""
WALK_HINTS = {
    Walk.STEP: marked("Every step takes as long as any other"),
    Walk.TIME: marked("Each step takes its share of the measured time, slowed down"),
    Walk.DISTANCE: marked("The settled distance grows evenly"),
}


def speed_label(speed: float) -> str:
    """Return a speed as a person reads it: ``1/4×``, ``16×``."""
    return f"{speed:g}×" if speed >= 1 else f"1/{1 / speed:g}×"


class ReplayClock:
    """Whether the replay plays, how fast, which way and along which walk, for one player or for several at once.

    ``now`` counts steps, nanoseconds or distance, by the walk, and goes from ``first`` to ``length``: from 0, or from
    −1 where a replay has something to show before its first step. ``seconds`` returns the present time. Somebody calls
    ``advance`` often while ``playing``; positions depend on the time alone, not on how often.
    """

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._players: list[Player] = []
        self._last_tick = 0.0
        self._rested_s = 0.0
        self.now = 0.0
        self.playing = False
        self.reverse = False
        self.loop = False
        self.speed = 1.0
        self.walk = Walk.STEP

        self.moved = Notice()
        self.playing_changed = Notice()
        self.pace_changed = Notice()

    # ------------------------------------------------------------------------------------------------ players

    def add(self, player: Player) -> None:
        """Move ``player`` from now on."""
        self._players.append(player)

    def remove(self, player: Player) -> None:
        """Move ``player`` no longer."""
        self._players.remove(player)
        self.now = min(self.now, self.length)
        if not self._loaded:
            self.pause()

    @property
    def _loaded(self) -> list[Player]:
        return [player for player in self._players if player.trace is not None]

    @property
    def first(self) -> float:
        """Where the replay that begins first begins."""
        return min((player.first for player in self._loaded), default=0.0)

    @property
    def length(self) -> float:
        """Where the longest replay ends; 1 where no length is known."""
        return max((player.whole for player in self._loaded), default=0.0) or 1.0

    @property
    def measured(self) -> bool:
        """Whether the length of any replay is known."""
        return any(player.whole > 0 for player in self._loaded)

    @property
    def fraction(self) -> float:
        """How far the longest replay is, 0 … 1."""
        return max(self.now, 0.0) / self.length

    @property
    def duration_s(self) -> float:
        """How long the longest replay lasts at the speed chosen."""
        steps = max((player.step_count for player in self._players), default=0)
        return min(WHOLE_REPLAY_S, LONGEST_STEP_S * max(steps, 1)) / self.speed

    @property
    def per_second(self) -> float:
        """How far ``now`` moves in a second of playing."""
        return self.length / self.duration_s

    # ------------------------------------------------------------------------------------------------ playing

    def play(self) -> None:
        """Go on from here, or from the other end if every player is at the one ahead."""
        players = self._loaded
        if not players or self.playing:
            return
        if self.reverse and self.now <= self.first:
            self.go_to(self.length)
        elif not self.reverse and all(player.position >= player.last for player in players):
            self.go_to(self.first)
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
        """Move every player to where the time says; pause when all have ended, or begin again in a loop."""
        if not self.playing:
            return
        before = self._last_tick
        self._last_tick = self._seconds()
        elapsed_s = self._last_tick - before
        if self._at_end and self.loop:
            self._rest(elapsed_s)
            return
        moved = elapsed_s * self.per_second
        self.now = max(self.now - moved, self.first) if self.reverse else min(self.now + moved, self.length)
        ended = [player for player in self._loaded if player.follow_clock()]
        self.moved()
        if self._at_end and not self.loop:
            self.pause()
        for player in ended:
            player.finished()

    @property
    def _at_end(self) -> bool:
        """Whether every player has reached the end that the clock moves towards."""
        return self.now <= self.first if self.reverse else self.now >= self.length

    def _rest(self, elapsed_s: float) -> None:
        self._rested_s += elapsed_s
        if self._rested_s >= LOOP_REST_S:
            self.go_to(self.length if self.reverse else self.first)

    def restart_tick(self) -> None:
        """Leave out the time since the last tick, for instance because a person moved a player."""
        self._last_tick = self._seconds()
        self._rested_s = 0.0

    def go_to(self, now: float) -> None:
        """Move every player to a moment at once (playing goes on from there)."""
        self.restart_tick()
        self.now = min(max(now, self.first), self.length)
        for player in self._loaded:
            player.follow_clock()
        self.moved()

    def moved_by_hand(self, moved: Player) -> None:
        """Go where a person moved one player, and take the others along."""
        self.restart_tick()
        self.now = moved.at
        for player in self._loaded:
            if player is not moved:
                player.follow_clock()
        self.moved()

    # --------------------------------------------------------------------------------------------------- pace

    def set_speed(self, speed: float) -> None:
        """Play ``speed`` times as fast as by default."""
        self.speed = min(max(speed, SPEEDS[0]), SPEEDS[-1])
        self.pace_changed()

    def faster(self, notches: int = 1) -> None:
        """Take the next higher speed of ``SPEEDS``, or a lower one for negative ``notches``."""
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.speed))
        self.set_speed(SPEEDS[min(max(nearest + notches, 0), len(SPEEDS) - 1)])

    def set_reverse(self, reverse: bool) -> None:
        """Play backward, or forward again."""
        self.reverse = reverse
        self.restart_tick()
        self.pace_changed()

    def set_loop(self, loop: bool) -> None:
        """Begin again at the end, or pause there."""
        self.loop = loop
        self.pace_changed()

    def set_walk(self, walk: Walk) -> None:
        """Walk evenly by step, by measured time or by settled distance.

        A player stays at its step; of several it is the first that is on its way, and the others come along.
        """
        self.walk = walk
        players = self._loaded
        for player in self._players:
            player.measure_walk()
        on_their_way = [player for player in players if player.position < player.last]
        if on_their_way:
            self.moved_by_hand(on_their_way[0])
        elif players:
            self.go_to(self.length)
        self.pace_changed()

    def measured_anew(self, player: Player) -> None:
        """Stay at a player's step, whose walk has another length now."""
        self.now = player.at
        self.pace_changed()


class Change(StrEnum):
    """What a jump looks for: the step where another bucket begins, or another mode."""

    BUCKET = "bucket"
    MODE = "mode"


def changes(trace: Trace, of: Change) -> NDArray[np.intp]:
    """Return the steps at which the bucket or the mode differs from that of the step before, ascending.

    Where all steps have one mode, the names of their phases are looked at instead.
    """
    columns = (trace.bucket,) if of is Change.BUCKET else (trace.labels[:, 0], trace.labels[:, 2])
    for values in columns:
        found = np.flatnonzero(values[1:] != values[:-1]) + 1
        if len(found):
            return found
    return np.zeros(0, np.intp)


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a walk leads, in steps, nanoseconds or distance; not ``known`` where a trace does not say it.

    ``to_last`` is where the last step begins, ``whole`` where it ends: by measured time it lasts too.
    """

    to_last: float
    whole: float
    known: bool = True


class Player:
    """A position in one replay, 0 … last step; fractions are between two steps, −1 is before the first one."""

    def __init__(self, clock: ReplayClock) -> None:
        self.clock = clock
        self.trace: Trace | None = None
        """The trace that is played, None if there is none."""
        self._distances: NDArray[Any] | None = None
        self._clean_ns: float | None = None
        self.marks = np.zeros(1)
        """Where each step begins along the walk, float64 [steps] rising from 0 to 1."""
        self._walk = Extent(0.0, 0.0)
        self.position = 0.0
        self.ended = False
        """Whether the clock has passed the end of this replay since a person moved it."""

        self.moved = Notice()
        self.loaded = Notice()
        self.finished = Notice()
        clock.add(self)

    # --------------------------------------------------------------------------------------------- what is played

    def load(self, trace: Trace | None, distances: NDArray[Any] | None, clean_ms: float | None = None) -> None:
        """Show the start of ``trace``; ``distances`` [n] are the final ones. None empties the player.

        ``clean_ms`` is the median of the search's clean runs, as ``take_time`` says.
        """
        self.clock.pause()
        self.trace = trace if trace is not None and len(trace) else None
        self._distances = distances
        self._clean_ns = None if clean_ms is None else clean_ms * 1e6
        self.position, self.ended = 0.0, False
        self.measure_walk()
        self.clock.moved_by_hand(self)

    def follow(self, trace: Trace) -> None:
        """Show a search that still runs, with at least one step: at its last one, unless a person moved elsewhere.

        A first trace is followed from its end on; a later one replaces the one before, which it continues.
        """
        at_end = self.trace is None or self.position >= self.last
        self.trace, self._distances, self._clean_ns = trace, None, None
        follows = at_end and not self.clock.playing
        self.position = float(self.last) if follows else min(self.position, float(self.last))
        self.ended = False
        self.measure_walk()
        self.clock.moved_by_hand(self)

    def take_time(self, clean_ms: float | None) -> None:
        """Let the walk by time last as long as the search did in its clean runs, instead of the traced one.

        Each step keeps its share. Recording slows some searches more than others, so that a race of traced runs
        could have another winner.
        """
        self._clean_ns = None if clean_ms is None else clean_ms * 1e6
        self.marks, self._walk = self._make_marks()
        self.clock.measured_anew(self)

    @property
    def timed(self) -> bool:
        """Whether the walk by time lasts as long as clean runs did, not as long as the one that was recorded."""
        return self._clean_ns is not None

    def measure_walk(self) -> None:
        """Measure the trace along the clock's walk anew; the position stays."""
        self.marks, self._walk = self._make_marks()
        self.loaded()
        self.moved()

    @property
    def step_count(self) -> int:
        """Steps of the trace, 0 without one."""
        return 0 if self.trace is None else len(self.trace)

    @property
    def last(self) -> int:
        """The last position."""
        return max(self.step_count - 1, 0)

    @property
    def first(self) -> float:
        """The first position: −1 where a trace has the labels before its first step, as those of small graphs do."""
        trace = self.trace
        return -1.0 if trace is not None and (trace.tentative is not None or trace.matrices is not None) else 0.0

    @property
    def before(self) -> bool:
        """Whether what is shown is from before the first step."""
        return self.position < 0

    @property
    def step(self) -> int:
        """The step that is shown, the first one before it."""
        return min(max(int(self.position + 1e-9), 0), self.last)

    @property
    def steps_done(self) -> int:
        """How many steps are over, with the one that is shown."""
        return 0 if self.before else self.step + 1

    @property
    def fraction(self) -> float:
        """How far the replay is along its walk, 0 … 1."""
        step = self.step
        ahead = self.marks[min(step + 1, self.last)] - self.marks[step]
        return float(self.marks[step] + max(self.position - step, 0.0) * ahead)

    @property
    def whole(self) -> float:
        """How far the walk leads, in steps, nanoseconds or distance; 0 if that is not known."""
        return self._walk.whole

    @property
    def span(self) -> float:
        """Where the clock passes the end of this replay: one of no known length lasts as long as the longest."""
        return self._walk.whole if self._walk.known else self.clock.length

    @property
    def at(self) -> float:
        """Where the clock stands when this player is where it is."""
        if self.before:
            return self.position
        if self.position >= self.last:
            return self.span
        return self.fraction * (self._walk.to_last if self._walk.known else self.clock.length)

    @property
    def step_s(self) -> float:
        """How many seconds the step that is shown lasts at the clock's speed; 0 for the last one."""
        step, reach = self.step, self._walk.to_last if self._walk.known else self.clock.length
        ahead = float(self.marks[min(step + 1, self.last)] - self.marks[step])
        return ahead * reach / self.clock.per_second if self.trace is not None else 0.0

    def _make_marks(self) -> tuple[NDArray[np.float64], Extent]:
        """Return the table of the walk, and its length before it was scaled to 1."""
        trace, count, walk = self.trace, self.step_count, self.clock.walk
        if trace is None:
            return np.zeros(1), Extent(0.0, 0.0, known=False)
        even = np.linspace(0.0, 1.0, count)
        if walk is Walk.STEP:
            return even, Extent(float(self.last), float(self.last))
        if walk is Walk.TIME:
            ends = np.cumsum(trace.time_ns, dtype=np.float64)
            whole = float(ends[-1] if self._clean_ns is None or ends[-1] <= 0 else self._clean_ns)
            marks = np.concatenate(([0.0], ends[:-1])) * (whole / ends[-1] if ends[-1] > 0 else 1.0)
        elif self._distances is None:  # a search that still runs has no final distances to walk by
            return even, Extent(0.0, 0.0, known=False)
        else:
            marks = trace.settled_distance(self._distances).astype(np.float64)
            marks -= marks[0]
            whole = float(marks[-1])
        if marks[-1] <= 0:
            return even, Extent(0.0, whole, known=count == 1 and whole > 0)
        # A hair of the even walk keeps the table strictly rising, so that every step can be reached.
        return (1 - 1e-6) * marks / marks[-1] + 1e-6 * even, Extent(float(marks[-1]), whole)

    # ------------------------------------------------------------------------------------------------ moving

    def follow_clock(self) -> bool:
        """Move to where the clock stands; return whether the end was passed by that."""
        if self.clock.now < 0:
            self.position, self.ended = max(self.clock.now, self.first), False
            self.moved()
            return False
        ended_before, self.ended = self.ended, self.clock.now >= self.span
        reach = self._walk.to_last if self._walk.known else self.clock.length
        self._move_to_fraction(min(self.clock.now / reach, 1.0) if reach > 0 else 1.0)
        return self.ended and not ended_before

    def seek(self, position: float) -> None:
        """Show the given step at once, and others with it (playing goes on from there)."""
        self.position, self.ended = min(max(position, self.first), float(self.last)), False
        self.moved()
        self.clock.moved_by_hand(self)

    def seek_fraction(self, fraction: float) -> None:
        """Show the given fraction of the walk at once, and others with it (playing goes on from there)."""
        self.ended = False
        self._move_to_fraction(fraction)
        self.clock.moved_by_hand(self)

    def jump(self, to: Change, forward: bool) -> bool:
        """Pause and go to the next bucket or mode, or back to where one begins; return whether there is one."""
        if self.trace is None:
            return False
        found = changes(self.trace, to)
        if forward:
            targets = found[found > self.step]
        else:
            targets = np.concatenate(([0], found))
            targets = targets[targets < self.position][-1:]
        if not len(targets):
            return False
        self.clock.pause()
        self.seek(float(targets[0]))
        return True

    def step_by(self, steps: int) -> None:
        """Pause and go whole steps forward or back."""
        self.clock.pause()
        self.seek(float(self.steps_done - 1 + steps))

    def _move_to_fraction(self, fraction: float) -> None:
        marks = self.marks
        step = int(np.clip(np.searchsorted(marks, fraction, "right") - 1, 0, max(self.last - 1, 0)))
        ahead = marks[min(step + 1, self.last)] - marks[step]
        inside = 0.0 if ahead <= 0 else (fraction - marks[step]) / ahead
        self.position = min(step + min(max(float(inside), 0.0), 1.0), float(self.last))
        self.moved()
