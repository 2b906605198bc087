"""The replay panel under the map: rows of every step's figures, buttons to play and step, the slider, the step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from wayfront.devices import describe_device
from wayfront.trace.schema import Step, Trace
from wayfront_gui.app.scrubber import MOST_HEIGHT, Scrubber
from wayfront_gui.app.timeline import Timeline
from wayfront_gui.map.found import last_coloured
from wayfront_gui.session import formatting
from wayfront_gui.session.formatting import STEP_FIGURES
from wayfront_gui.session.replay import SPEEDS, WALK_LABELS, Change, changes, speed_label
from wayfront_gui.session.session import Session
from wayfront_gui.ui.colour_maps import DEFAULT
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    ChoiceBox,
    ElidedLabel,
    Figure,
    holding,
    in_column,
    in_row,
    text_button,
    tool_button,
)
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import keep_scaled, keep_sized, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import marked, translated

ICON, PLAY_ICON = 20, 30
PLACE_WIDTH, WALK_WIDTH, SPEED_WIDTH = 110, 140, 70
ARROW = 42
"""Pixels of a choice box beside its text."""
SLIM_HEIGHT = 44
SLIM_BUTTONS = ("back", "play", "forward")
STEP, PACE = (marked("Step"), 13), (marked("1 s ="), 14)
"""Captions of the first column and of the last one, and how wide they are at least, in digits."""
COLUMNS = {"step": STEP, **{key: (row.caption, row.digits) for key, row in STEP_FIGURES.items()}, "pace": PACE}
"""What room is left the columns share in these proportions, once the longest bucket and mode have what they need."""
_RANKS = {key: row.yields for key, row in STEP_FIGURES.items()} | {"pace": 6}
YIELDING = sorted(_RANKS, key=_RANKS.__getitem__)
"""Columns in the order in which they are left out where there is no room for all: a figure that is cut says nothing."""
YIELDING_TO_TEXTS = YIELDING[:3]
"""Those that are left out so that the longest bucket and mode are shown whole."""
BUTTONS = ("start", "previous", "back", "play", "forward", "next", "reverse", "loop")
OF_THE_CLOCK = ("play", "reverse", "loop")
"""The buttons that move all replays of a race."""
JUMPS = ("previous", "next")
"""The buttons that jump between buckets, or between modes where a search has no buckets."""


class ReplayPanel(QWidget):
    """Shows and controls the replay."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session, self._clock = session, session.clock
        self._theme, self._colour_map = DARK, DEFAULT
        self._buttons = {name: tool_button(PLAY_ICON if name == "play" else ICON) for name in BUTTONS}
        for name, button in self._buttons.items():
            if name not in JUMPS:
                button.setDefaultAction(actions[f"replay.{name}"])
        self._jumps = {kind: [actions[f"replay.{way}_{kind}"] for way in ("last", "next")] for kind in Change}
        self.scrubber = Scrubber(self._describe_step)
        self.scrubber.scrubbed.connect(self._seek)
        self.timeline = Timeline()
        self.timeline.plots.sought.connect(self._seek_step)
        self._slim = self._timeline_wanted = False
        walks = ((translated(text), walk) for walk, text in WALK_LABELS.items())
        self.walk = ChoiceBox(translated("How the replay advances"), session.clock.set_walk, walks)
        self.walk.setAccessibleName(translated("Clock of the replay"))
        speeds = ((speed_label(speed), speed) for speed in SPEEDS)
        self.speed = ChoiceBox(translated("Speed of the replay"), session.clock.set_speed, speeds)
        self.speed.setAccessibleName(translated("Speed of the replay"))
        self._tree = text_button(actions["view.tree"])
        self._place = ElidedLabel(rank="value")
        self._place.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        keep_scaled(self._place.setMaximumWidth, PLACE_WIDTH)
        self._place.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.figures = {key: Figure(translated(caption)) for key, (caption, _) in COLUMNS.items()}
        self._arrange()
        session.replay_moved.connect(self._show_step)
        session.replay_loaded.connect(self._show_trace)
        session.clock.pace_changed.connect(self._show_pace)
        for changed in (session.slots_changed, session.clock.moved, session.clock.pace_changed):
            changed.connect(self._enable_buttons)
        self._show_trace()

    def _arrange(self) -> None:
        end = (GAP, (self.scrubber, 1), GAP, self._place, GAP, self._tree)
        top = in_row(*self._buttons.values(), *end, spacing=2)
        self._figures_row = in_row(*self.figures.values(), self.walk, self.speed)
        self._below = holding(self._figures_row)
        keep_sized(self, ReplayPanel._fit_walk)
        keep_scaled(self.speed.setFixedWidth, SPEED_WIDTH)
        self._layout = in_column(self.timeline, top, self._below, spacing=6)
        self.setLayout(self._layout)
        self.set_slim(False)
        keep_sized(self, ReplayPanel._fit_height)

    def set_slim(self, slim: bool) -> None:
        """Show one row, to play and to seek, or all."""
        self._slim = slim
        self.show_timeline(self._timeline_wanted)
        self._below.setHidden(slim)
        for name, button in self._buttons.items():
            button.setHidden(slim and name not in SLIM_BUTTONS)
        self._place.setVisible(slim)
        self.scrubber.set_low(slim)
        self._layout.setContentsMargins(MARGIN, 2 if slim else GAP, MARGIN, 2 if slim else GAP + 2)
        self._fit_height()

    def _fit_walk(self) -> None:
        """Give the choice of clocks no more than its longest entry needs: figures have the rest."""
        longest = max(self.fontMetrics().horizontalAdvance(translated(text)) for text in WALK_LABELS.values())
        self.walk.setFixedWidth(min(longest + scaled(ARROW), scaled(WALK_WIDTH)))

    def _fit_height(self) -> None:
        self.setMaximumHeight(scaled(SLIM_HEIGHT) if self._slim else MOST_HEIGHT)

    def show_timeline(self, wanted: bool) -> None:
        """Show the rows of figures of every step above the slider, unless there is room for one row alone."""
        self._timeline_wanted = wanted
        self.timeline.setVisible(wanted and not self._slim)
        self._show_timeline()

    def _show_timeline(self) -> None:
        """Plot the trace that is shown, unless nobody sees it."""
        if not self.timeline.isHidden():
            player = self._session.active.player
            self.timeline.plots.show_trace(player.trace)
            self.timeline.plots.show_step(player.position)

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._theme = theme
        self.timeline.set_theme(theme)
        self.scrubber.set_colours(theme, self._colour_map)
        for name, action in self._iconed():
            action.setIcon(icon(name, theme))
        self.show_playing()

    def set_colour_map(self, name: str) -> None:
        """Draw buckets in the colours of that colour map."""
        self._colour_map = name
        self.scrubber.set_colours(self._theme, name)

    def _iconed(self) -> Iterator[tuple[str, QAction]]:
        """Yield the actions whose icons do not depend on what is shown, each with its icon's name."""
        for name, button in self._buttons.items():
            if name not in ("play", *JUMPS):
                yield name, button.defaultAction()
        for actions in self._jumps.values():
            yield from zip(JUMPS, actions, strict=True)

    def show_playing(self) -> None:
        """Show Pause while the replay plays, else Play."""
        name = "pause" if self._clock.playing else "play"
        self._buttons["play"].defaultAction().setIcon(icon(name, self._theme, "accent"))

    def _seek(self, fraction: float) -> None:
        self._session.active.player.seek_fraction(fraction)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many figures as there is room for."""
        super().resizeEvent(event)
        self._fit_figures()

    def _fit_figures(self) -> None:
        """Show the figures that the trace has, without those that yield where there is no room."""
        trace = self._session.active.player.trace
        shown = [key for key in COLUMNS if key not in STEP_FIGURES or STEP_FIGURES[key].is_in(trace)]
        digit = self.fontMetrics().horizontalAdvance("0")
        digits = {key: self._digits(key, digit) for key in COLUMNS}
        least = {key: count * digit for key, count in digits.items()}
        whole = {
            key: max([least[key], *(self.fontMetrics().horizontalAdvance(text) + GAP for text in texts)])
            for key, texts in self._longest(trace).items()
        }
        room = self.width() - 2 * MARGIN - self.walk.width() - self.speed.width() - 2 * GAP
        for key in YIELDING:
            widths = least | whole if key in YIELDING_TO_TEXTS else least
            if sum(widths[each] + GAP for each in shown) <= room:
                break
            shown = [each for each in shown if each != key]
        for key, figure in self.figures.items():
            figure.setVisible(key in shown)
            self._figures_row.setStretchFactor(figure, digits[key])
        spare = max(room - sum(least[each] + GAP for each in shown), 0)
        for key, wanted in whole.items():
            more = min(wanted - least[key], spare) if key in shown else 0
            self.figures[key].setMinimumWidth(least[key] + more)
            spare -= more

    def _longest(self, trace: Trace | None) -> dict[str, list[str]]:
        """Return texts of the figures whose lengths differ much between traces, the longest ones among them."""
        metric = self._session.active.shown_metric
        if trace is None or metric is None or not len(trace):
            return {"bucket": [], "mode": []}
        last = trace.step(len(trace) - 1)
        return {"bucket": [formatting.bucket(last, metric)], "mode": formatting.modes(trace)}

    def _digits(self, key: str, digit: int) -> int:
        """Return how wide a figure is at least, in digits: its caption may be longer in another language.

        The step of a search that has ended needs no more than the last one.
        """
        caption, least = COLUMNS[key]
        slot = self._session.active
        if key == "step" and slot.live is None and slot.player.trace is not None:
            steps = slot.player.step_count
            last = translated("{step:,} of {steps:,}", step=steps, steps=steps)
            least = min(least, self.fontMetrics().horizontalAdvance(last) // digit + 1)
        return max(least, -(-self.fontMetrics().horizontalAdvance(translated(caption)) // digit))

    def _seek_step(self, position: float) -> None:
        self._session.active.player.seek(position)

    def _show_trace(self) -> None:
        player = self._session.active.player
        trace = player.trace
        if trace is None:
            self.scrubber.show_nothing()
        else:
            self.scrubber.show_trace(trace, player.marks, self._farthest())
        self._fit_figures()
        jumps = self._jumps[Change.MODE if trace is None or not len(changes(trace, Change.BUCKET)) else Change.BUCKET]
        for name, action in zip(JUMPS, jumps, strict=True):
            button = self._buttons[name]
            for other in button.actions():
                button.removeAction(other)  # a button with several actions has a menu
            button.setDefaultAction(action)
        self._enable_buttons()
        for action in (action for actions in self._jumps.values() for action in actions):
            action.setEnabled(trace is not None)
        self._show_pace()
        self._show_timeline()
        self._show_step()

    def _enable_buttons(self) -> None:
        """Enable what there is something for: a race can be played though the search that is shown is not recorded."""
        recorded = self._session.active.player.trace is not None
        any_recorded = any(slot.player.trace is not None for slot in self._session.slots)
        for name, button in self._buttons.items():
            button.defaultAction().setEnabled(any_recorded if name in OF_THE_CLOCK else recorded)

    def _show_pace(self) -> None:
        self.walk.choose_data(self._clock.walk)
        self.speed.choose_data(self._clock.speed)
        slot = self._session.active
        found = slot.result if slot.pairs is None else slot.pairs.result
        device = "" if found is None or slot.live is not None else describe_device(found.device).label
        text = formatting.pace(self._clock, slot.shown_metric, device)
        self.figures["pace"].show_value(
            text, translated("At this speed one second of the replay shows {text}.", text=text)
        )

    def _farthest(self) -> float | None:
        """Return the distance that has the map's last colour; None while a search runs and it is not known."""
        result = self._session.active.result
        if result is None or self._session.active.live is not None:
            return None
        return last_coloured(result.distances, result.reached)

    def _show_step(self) -> None:
        player, scrubber = self._session.active.player, self.scrubber
        scrubber.show_fraction(player.fraction)
        if not self.timeline.isHidden():
            self.timeline.plots.show_step(player.position)
        self._place.show_text(f"{player.steps_done:,} / {player.step_count:,}" if player.trace is not None else "")
        if player.trace is None:
            for figure in self.figures.values():
                figure.show_value("—")
            scrubber.setAccessibleDescription("")
            return
        self._show_figures(player.trace.step(player.step))
        if player.before:
            for key, figure in self.figures.items():
                if key not in ("step", "pace"):
                    figure.show_value("—")
        scrubber.setAccessibleDescription(formatting.in_one_line(self._describe_step(player.steps_done - 1)))

    def _show_figures(self, step: Step) -> None:
        slot = self._session.active
        network, metric = slot.network, slot.shown_metric
        show = {key: figure.show_value for key, figure in self.figures.items()}
        show["step"](
            translated(
                "{step:,} of {steps:,}" if slot.live is None else "{step:,} of {steps:,} so far",
                step=slot.player.steps_done,
                steps=slot.player.step_count,
            )
        )
        for key, row in STEP_FIGURES.items():
            show[key]("—" if network is None or metric is None else row.text(step, metric, network), row.hint(step))

    def _describe_step(self, index: int) -> list[tuple[str, str]]:
        """Return pairs of caption and value that describe a step."""
        slot = self._session.active
        trace, network, metric = slot.player.trace, slot.network, slot.shown_metric
        if trace is None or network is None or metric is None:
            return []
        return formatting.about_step(trace, index, network, metric)
