"""The commands of the Replay menu."""

from __future__ import annotations

from collections.abc import Callable

from wayfront_gui.model.player import Player, Walk
from wayfront_gui.model.session import Session


class ReplayCommands:
    """Plays the replay, moves in it, and sets its pace."""

    def __init__(self, session: Session, say: Callable[[str], None]) -> None:
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
        """Show the first step."""
        self._player.seek(0.0)

    def go_to_end(self) -> None:
        """Show the last step."""
        self._clock.pause()
        self._player.seek(float(self._player.last))

    def change_speed(self, notches: str) -> None:
        """Play faster or slower."""
        self._clock.faster(int(notches))
        self._say(f"Speed {self._clock.speed:g}×")

    def walk(self, name: str) -> None:
        """Choose what grows evenly while the replay plays."""
        self._clock.set_walk(Walk(name))
