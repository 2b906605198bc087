"""The commands of the Replay menu."""

from __future__ import annotations

from functools import partial

from wayfront.trace.step_table import write_steps
from wayfront_gui.app.commands import Command, command, offered
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.session.replay import WALK_HINTS, WALK_LABELS, Change, Player, speed_label
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.translation import marked, translated

STEP_FILES = {marked("CSV table (*.csv)"): ".csv"}


class ReplayCommands:
    """Plays the replay, moves in it, and sets its pace."""

    def __init__(self, host: Host) -> None:
        self._host, self._session, self._clock = host, host.session, host.session.clock
        self._say = host.reports.show
        self._clock.pace_changed.connect(self._show_walk)

    def _show_walk(self) -> None:
        self._host.actions[f"replay.by_{self._clock.walk}"].setChecked(True)

    @property
    def _player(self) -> Player:
        return self._session.active.player

    @command("replay.play", "&Play", keys=("Space",), hint="Play or pause", at=(1, 1))
    def toggle_playing(self) -> None:
        """Play or pause."""
        self._clock.toggle()

    @command("replay.back", "Step &back", keys=("Left",), hint="One step back", at=(1, 2), argument="-1")
    @command("replay.forward", "Step &forward", keys=("Right",), hint="One step forward", at=(1, 3), argument="1")
    @command("replay.far_back", "Ten steps back", keys=("Ctrl+Left",), at=(1, 1), under="replay/go", argument="-10")
    @command(
        "replay.far_forward", "Ten steps forward", keys=("Ctrl+Right",), at=(1, 2), under="replay/go", argument="10"
    )
    def step_by(self, steps: str) -> None:
        """Go some steps forward or back."""
        self._player.step_by(int(steps))

    @command("replay.start", "To the &start", keys=("Home",), hint="First step", at=(1, 3), under="replay/go")
    def go_to_start(self) -> None:
        """Show the first step, or what is before it where that can be shown."""
        self._player.seek(self._player.first)

    @command("replay.end", "To the &end", keys=("End",), hint="Last step", at=(1, 4), under="replay/go")
    def go_to_end(self) -> None:
        """Show the last step."""
        self._clock.pause()
        self._clock.go_to(self._clock.length)

    @command(
        "replay.next_bucket",
        "Next b&ucket",
        keys=("]",),
        hint="Where the next bucket begins",
        at=(2, 1),
        under="replay/go",
        argument="forward",
    )
    @command(
        "replay.last_bucket",
        "Previous bucket",
        keys=("[",),
        hint="Where a bucket began",
        at=(2, 2),
        under="replay/go",
        argument="back",
    )
    def next_bucket(self, direction: str) -> None:
        """Go to where the next bucket begins, or back to where one does."""
        self._jump(Change.BUCKET, direction)

    @command(
        "replay.next_mode",
        "Next &mode",
        keys=("}",),
        hint="Where the mode changes next",
        at=(2, 3),
        under="replay/go",
        argument="forward",
    )
    @command(
        "replay.last_mode",
        "Previous mode",
        keys=("{",),
        hint="Where the mode changed",
        at=(2, 4),
        under="replay/go",
        argument="back",
    )
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

    @command("replay.slower", "S&lower", keys=(",", "<"), hint="Half the speed", at=(3, 1), argument="-1")
    @command("replay.faster", "F&aster", keys=(".", ">"), hint="Twice the speed", at=(3, 2), argument="1")
    def change_speed(self, notches: str) -> None:
        """Play faster or slower."""
        self._clock.faster(int(notches))
        self._say(translated("Speed {speed}", speed=speed_label(self._clock.speed)))

    @command(
        "replay.reverse", "Back&ward", keys=("B",), hint="Play from the end to the start", at=(3, 3), checkable=True
    )
    def play_backward(self, reverse: bool) -> None:
        """Play backward, or forward again."""
        self._clock.set_reverse(reverse)

    @command("replay.loop", "L&oop", keys=("O",), hint="Begin again at the end", at=(3, 4), checkable=True)
    def loop(self, loop: bool) -> None:
        """Begin again at the end, or pause there."""
        self._clock.set_loop(loop)

    @offered(
        *(
            Command(
                f"replay.by_{walk}",
                label,
                (str(index + 1),),
                WALK_HINTS[walk],
                at=(1, index),
                under="replay/clock",
                argument=walk,
                group="walk",
            )
            for index, (walk, label) in enumerate(WALK_LABELS.items())
        )
    )
    def walk(self, name: str) -> None:
        """Choose what grows evenly while the replay plays."""
        self._clock.set_walk(Walk(name))

    @command(
        "replay.save",
        "Sa&ve steps…",
        hint="Save the figures of every step as a table",
        at=(4, 2),
    )
    def save_steps(self) -> None:
        """Ask where and save the figures of every step of the replay that is shown."""
        slot = self._session.active
        trace, network = slot.player.trace, slot.network
        if trace is None or network is None:
            self._host.reports.show_problem(translated("There are no steps to save yet: run a search first (R)."))
            return
        save_as(self._host, translated("Save steps"), "steps", STEP_FILES, partial(write_steps, trace, network))

    @command(
        "replay.more",
        "More fi&gures",
        keys=("G",),
        hint="All figures of the step, and rows of frontier, relaxations and time of every step, over the slider",
        at=(4, 1),
        kept=("window/more_figures", False),
    )
    def show_more(self, shown: bool) -> None:
        """Show or hide what is known of a step beside the three figures of the bar."""
        self._host.panels.panel(ReplayPanel).show_more(shown)
