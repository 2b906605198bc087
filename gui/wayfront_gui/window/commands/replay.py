"""The commands of the Replay menu."""

from __future__ import annotations

from collections.abc import Callable

from wayfront_gui.model.player import Change, Player
from wayfront_gui.model.replay_clock import Walk, speed_label
from wayfront_gui.model.session import Session
from wayfront_gui.translation import translated


class ReplayCommands:
    """Plays the replay, moves in it, and sets its pace; ``show_timeline`` shows or hides the figures of every step."""

    def __init__(self, session: Session, say: Callable[[str], None], show_timeline: Callable[[bool], None]) -> None:
        self.show_timeline = show_timeline
        self._session = session
        self._clock = session.clock
        self._say = say

    @property
    def _player(self) -> Player:
        return self._session.active.player

    def toggle_playing(self) -> None:
        """Play or pause."""
        self._clock.toggle()

    def step_by(self, steps: str) -> None:
        """Go some steps forward or back."""
        self._player.step_by(int(steps))

    def go_to_start(self) -> None:
        """Show the first step, or what is before it where that can be shown."""
        self._player.seek(self._player.first)

    def go_to_end(self) -> None:
        """Show the last step."""
        self._clock.pause()
        self._clock.go_to(self._clock.length)

    def next_bucket(self, direction: str) -> None:
        """Go to where the next bucket begins, or back to where one does."""
        self._jump(Change.BUCKET, direction)

    def next_mode(self, direction: str) -> None:
        """Go to where the mode changes next, or back to where it did."""
        self._jump(Change.MODE, direction)

    def _jump(self, to: Change, direction: str) -> None:
        if not self._player.jump(to, forward=direction == "forward"):
            self._say(
                translated("No other {change} follows.", change=translated(to))
                if direction == "forward"
                else translated("No other {change} comes before.", change=translated(to))
            )

    def change_speed(self, notches: str) -> None:
        """Play faster or slower."""
        self._clock.faster(int(notches))
        self._say(translated("Speed {speed}", speed=speed_label(self._clock.speed)))

    def play_backward(self, reverse: bool) -> None:
        """Play backward, or forward again."""
        self._clock.set_reverse(reverse)

    def loop(self, loop: bool) -> None:
        """Begin again at the end, or pause there."""
        self._clock.set_loop(loop)

    def walk(self, name: str) -> None:
        """Choose what grows evenly while the replay plays."""
        self._clock.set_walk(Walk(name))
