"""The replay's bar under the map: play, step, seek, speed, three figures; on request all figures above it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtGui import QAction, QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from wayfront.devices import describe_device
from wayfront.trace.schema import Step, Trace
from wayfront_gui.app.scrubber import Scrubber
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
    Figure,
    Lines,
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
WALK_WIDTH, SPEED_WIDTH = 140, 70
ARROW = 42
"""Pixels of a choice box beside its text."""
LEAST_SLIDER, NARROWEST = 120, 230
"""Where the slider would be narrower beside the figures, these have a line of their own below it; the bar's width."""
PLOTS_FROM, STRIPS_FROM = 620, 460
"""How high a window is at least for the rows of plots, and for the strips below the slider's plot."""
STEP, PACE = (marked("Step"), 8), (marked("1 s ="), 14)
"""Captions of the step and of the pace, and how wide they are at least, in digits."""
COLUMNS = {"step": STEP, **{key: (row.caption, row.digits) for key, row in STEP_FIGURES.items()}, "pace": PACE}
HEADLINE = ("step", "frontier", "time")
"""The figures that are always there; the others are among those that a person asks for."""
FIRST_BUTTONS = ("back", "play", "forward")
BUTTONS = ("start", "previous", "next", "reverse", "loop", *FIRST_BUTTONS)
OF_THE_CLOCK = ("play", "reverse", "loop")
"""The buttons that move all replays of a race."""
JUMPS = ("previous", "next")
"""The buttons that jump between buckets, or between modes where a search has no buckets."""


class ReplayPanel(QWidget):
    """Shows and controls the replay: one bar, and above it on request all else that is known of a step.

    It is as high as what it shows. Nothing is cut: what has no room in a line begins another one.
    """

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
        self.timeline.sought.connect(self._seek_step)
        self._slim = self._more_wanted = False
        walks = ((translated(text), walk) for walk, text in WALK_LABELS.items())
        self.walk = ChoiceBox(translated("How the replay advances"), session.clock.set_walk, walks)
        self.walk.setAccessibleName(translated("Clock of the replay"))
        speeds = ((speed_label(speed), speed) for speed in SPEEDS)
        self.speed = ChoiceBox(translated("Speed of the replay"), session.clock.set_speed, speeds)
        self.speed.setAccessibleName(translated("Speed of the replay"))
        actions["replay.more"].setIconText(translated("More"))
        self.more = text_button(actions["replay.more"])
        self.more.setAccessibleName(translated("More figures"))
        self.figures = {key: Figure(translated(caption)) for key, (caption, _) in COLUMNS.items()}
        self._tree = text_button(actions["view.tree"])
        actions["replay.save"].setIconText(translated("Save…"))
        self.save = text_button(actions["replay.save"])
        self.save.setAccessibleName(translated("Save steps"))
        self._arrange()
        session.replay_moved.connect(self._show_step)
        session.replay_loaded.connect(self._show_trace)
        session.clock.pace_changed.connect(self._show_pace)
        for changed in (session.slots_changed, session.clock.moved, session.clock.pace_changed):
            changed.connect(self._enable_buttons)
        self._show_trace()

    def _arrange(self) -> None:
        first = {name: self._buttons[name] for name in FIRST_BUTTONS}
        self._transport = in_row(*first.values(), GAP, (self.scrubber, 1), spacing=2)
        choices = holding(in_row(self.speed, self.more))  # in one line, however little room there is
        self._headline = Lines(*(self.figures[key] for key in HEADLINE), choices)
        others = (figure for key, figure in self.figures.items() if key not in HEADLINE)
        buttons = holding(in_row(*(self._buttons[name] for name in BUTTONS if name not in first), spacing=2))
        self._others, self._controls = Lines(*others), Lines(buttons, self.walk, self._tree, self.save)
        self._bar = in_row((self._transport, 1), self._headline)
        parts = self.timeline, self._others, self._controls, self._bar
        self._layout = in_column(*parts, spacing=6, margins=(MARGIN, 3, MARGIN, 3))
        self.setLayout(self._layout)
        keep_scaled(self.speed.setFixedWidth, SPEED_WIDTH)
        keep_scaled(self.setMinimumWidth, NARROWEST)  # else one line would keep the window from becoming narrower
        keep_sized(self, ReplayPanel._fit_walk)
        keep_sized(self, ReplayPanel._fit)

    def set_slim(self, slim: bool) -> None:
        """Show the bar alone, or what is wanted above it too."""
        self._slim = slim
        self._fit()

    def show_more(self, wanted: bool) -> None:
        """Show all that is known of a step, and the plots of all steps, above the bar as far as there is room."""
        self._more_wanted = wanted
        self._fit()

    def _fit(self) -> None:
        """Show what there is room for, and be as high as that."""
        more, high = self._more_wanted and not self._slim, self.window().height()
        shows_plots = more and high >= scaled(PLOTS_FROM)
        if shows_plots == self.timeline.isHidden():
            self.timeline.setHidden(not shows_plots)
            self._show_timeline()
        self._others.setHidden(not more)
        self._controls.setHidden(not more)
        self.more.setHidden(self._slim)
        self.scrubber.set_low(not more or high < scaled(STRIPS_FROM))
        self._fit_figures()
        room, beside = self.width() - 2 * MARGIN, self._headline.whole_width
        buttons = sum(self._buttons[name].sizeHint().width() + 2 for name in FIRST_BUTTONS) + GAP
        narrow = room < buttons + scaled(LEAST_SLIDER) + GAP + beside
        self._bar.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        self._headline.setMinimumWidth(0 if narrow else beside)
        self._headline.fit(room if narrow else beside)
        self._others.fit(room)
        self._controls.fit(room)
        self._layout.activate()
        self.setFixedHeight(self._layout.sizeHint().height())

    def _fit_walk(self) -> None:
        """Give the choice of clocks no more than its longest entry needs: figures have the rest."""
        longest = max(self.fontMetrics().horizontalAdvance(translated(text)) for text in WALK_LABELS.values())
        self.walk.setFixedWidth(min(longest + scaled(ARROW), scaled(WALK_WIDTH)))

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
        """Divide what is shown into other lines."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Show more or less in a window of another height: the bar is at its foot."""
        super().moveEvent(event)
        self._fit()

    def _fit_figures(self) -> None:
        """Show the figures that the trace has, each as wide as its longest value: so none moves when values change."""
        trace, digit = self._session.active.player.trace, self.fontMetrics().horizontalAdvance("0")
        longest = self._longest(trace)
        for key, figure in self.figures.items():
            caption, digits = COLUMNS[key]
            figure.setHidden(key in STEP_FIGURES and key not in HEADLINE and not STEP_FIGURES[key].is_in(trace))
            texts = (translated(caption), *longest.get(key, ()))
            widths = (self.fontMetrics().horizontalAdvance(text) + GAP for text in texts)
            figure.setFixedWidth(max(digits * digit if key not in longest else 0, *widths))

    def _longest(self, trace: Trace | None) -> dict[str, list[str]]:
        """Return texts of the figures whose lengths differ much between traces, the longest ones among them."""
        slot = self._session.active
        metric = slot.shown_metric
        if trace is None or metric is None or not len(trace):
            return {}
        last = trace.step(len(trace) - 1)
        return {
            "step": [self._step_of(len(trace))],
            "bucket": [formatting.bucket(last, metric)],
            "mode": formatting.modes(trace),
        }

    def _seek_step(self, position: float) -> None:
        self._session.active.player.seek(position)

    def _show_trace(self) -> None:
        player = self._session.active.player
        trace = player.trace
        if trace is None:
            self.scrubber.show_nothing()
        else:
            self.scrubber.show_trace(trace, player.marks, self._farthest())
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
        self._fit()
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
        show["step"](self._step_of(slot.player.steps_done))
        for key, row in STEP_FIGURES.items():
            show[key]("—" if network is None or metric is None else row.text(step, metric, network), row.hint(step))

    def _step_of(self, step: int) -> str:
        """Return the number of a step beside that of all."""
        slot = self._session.active
        text = "{step:,} of {steps:,}" if slot.live is None else "{step:,} of {steps:,} so far"
        return translated(text, step=step, steps=slot.player.step_count)

    def _describe_step(self, index: int) -> list[tuple[str, str]]:
        """Return pairs of caption and value that describe a step."""
        slot = self._session.active
        trace, network, metric = slot.player.trace, slot.network, slot.shown_metric
        if trace is None or network is None or metric is None:
            return []
        return formatting.about_step(trace, index, network, metric)
