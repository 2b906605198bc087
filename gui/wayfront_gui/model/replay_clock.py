"""The clock of replays: it moves one player or several together, forward or back, once or in a loop.

Three walks lead through the same steps: every step takes as long as any other; each takes its share of the time that
the device measured; or the settled distance grows evenly. The clock stands at ``now``, counted in what the walk makes
grow evenly, and so does every player: of two searches the one with fewer steps (less time, a shorter distance) ends
earlier, and moving one by hand moves the others along.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from wayfront_gui.model.notice import Notice
from wayfront_gui.translation import marked

if TYPE_CHECKING:
    from wayfront.trace.schema import Trace

WHOLE_REPLAY_S = 7.0
"""How long a replay lasts at speed 1 …"""
LONGEST_STEP_S = 0.5
"""… unless it has so few steps that each would be shown for longer than this."""
LOOP_REST_S = 0.8
"""How long a loop shows its last picture before it begins again."""
SPEEDS = tuple(2.0**power for power in range(-6, 7))
"""From 1/64 to 64 times the usual speed."""


class Walk(StrEnum):
    """What grows evenly while the replay plays."""

    STEP = "step"
    TIME = "time"
    DISTANCE = "distance"


WALK_LABELS = {Walk.STEP: marked("By step"), Walk.TIME: marked("By time"), Walk.DISTANCE: marked("By distance")}
"""The name of each walk in the menu, the replay panel and the palette."""
WALK_HINTS = {
    Walk.STEP: marked("Every step takes as long as any other"),
    Walk.TIME: marked("Each step takes its share of the measured time, slowed down"),
    Walk.DISTANCE: marked("The settled distance grows evenly"),
}


def speed_label(speed: float) -> str:
    """Return a speed as a person reads it: ``1/4×``, ``16×``."""
    return f"{speed:g}×" if speed >= 1 else f"1/{1 / speed:g}×"


class Played(Protocol):
    """What a clock moves, a ``Player``: where its replay is and how long, in what the clock's walk counts."""

    finished: Notice
    position: float

    @property
    def trace(self) -> Trace | None: ...  # noqa: D102 - see Player

    @property
    def step_count(self) -> int: ...  # noqa: D102 - see Player

    @property
    def last(self) -> int: ...  # noqa: D102 - see Player

    @property
    def first(self) -> float: ...  # noqa: D102 - see Player

    @property
    def whole(self) -> float: ...  # noqa: D102 - see Player

    @property
    def at(self) -> float: ...  # noqa: D102 - see Player

    def follow_clock(self) -> bool:
        """Move to where the clock stands; return whether the end was passed by that."""

    def measure_walk(self) -> None:
        """Measure the trace along the clock's walk anew."""


class ReplayClock:
    """Whether the replay plays, how fast, which way and along which walk, for one player or for several at once.

    ``now`` counts steps, nanoseconds or distance, by the walk, and goes from ``first`` to ``length``: from 0, or from
    −1 where a replay has something to show before its first step. ``seconds`` returns the present time. Somebody calls
    ``advance`` often while ``playing``; positions depend on the time alone, not on how often.
    """

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._players: list[Played] = []
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

    def add(self, player: Played) -> None:
        """Move ``player`` from now on."""
        self._players.append(player)

    def remove(self, player: Played) -> None:
        """Move ``player`` no longer."""
        self._players.remove(player)
        self.now = min(self.now, self.length)
        if not self._loaded:
            self.pause()

    @property
    def _loaded(self) -> list[Played]:
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

    def moved_by_hand(self, moved: Played) -> None:
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

    def measured_anew(self, player: Played) -> None:
        """Stay at a player's step, whose walk has another length now."""
        self.now = player.at
        self.pace_changed()
