"""The panel that explains an algorithm: its idea, and its pseudo-code with the lines of the shown step highlighted.

The panel follows the last action: choosing an algorithm shows its explanation; a new search, playing, stepping and
scrubbing return to the search on the map. A frame of the replay only compares the step's phase and mode, and whether it
lowered a distance. The line that is highlighted is the one where such a step does most of its work; where the replay is
so slow that each of the step's lines can be seen, the highlight goes down them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGuiApplication,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QWidget

from wayfront.safe.options import AUTO
from wayfront.searching.registry import Algorithm, algorithms
from wayfront_gui.features.explanation.texts import NOTATION, Explanation, ExplanationError, Figures, as_text, explain
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import GAP, MARGIN, SPRING, holding, in_column, in_row, label, push_button
from wayfront_gui.ui.style import figures_font, keep_sized, mixed, one_line, qt_colour, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import marked, translated, translated_message

READABLE_S = 0.12
"""How long a line is highlighted at least for the highlight to go down the lines of a step."""
NOTHING_CHOSEN = marked("Choose an algorithm or run a search to see how it works.")


class ExplanationPanel(QScrollArea):
    """Shows the explanation of one algorithm and highlights its pseudo-code."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setAccessibleName(translated("Explanation"))
        self._session = session
        self._theme = DARK
        self._chosen = self._running = session.active.algorithm
        self._live_seen = False
        self._lit_by = ("", "", False)
        self._run: tuple[int, ...] = ()
        self._at_work: int | None = None
        self.algorithm = ""
        self.explanation: Explanation | None = None
        self._why_none = ""
        self._title = label(rank="name", wrap=True)
        self._paper = label(rank="caption", wrap=True)
        self.way_back = _prose_label()
        self.way_back.linkActivated.connect(lambda _link: self._follow())
        self.idea, self.rest = _prose_label(), _prose_label()
        for prose in (self.idea, self.rest):
            prose.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.code = PseudoCode()
        self._arrange()
        keep_sized(self, lambda each: each._show_texts())
        session.choice_changed.connect(self._on_choice)
        session.result_changed.connect(self._follow)
        session.live_changed.connect(self._on_live)
        session.view_changed.connect(self._light)
        session.replay_moved.connect(self._on_moved)
        self._follow()

    def _arrange(self) -> None:
        self.copy = push_button(translated("Copy"), translated("Copy the explanation as text"), press=self._copy)
        self.copy.setAccessibleName(translated("Copy the explanation"))
        head = in_column(in_row((self._title, 1), self.copy), self._paper, self.way_back, spacing=3)
        parts = head, self.idea, self.code, 2, self.rest, SPRING
        content = holding(in_column(*parts, spacing=GAP + 4, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        self.setWidget(content)
        self.setWidgetResizable(True)

    def _copy(self) -> None:
        if self.explanation is not None:
            QGuiApplication.clipboard().setText(as_text(self.explanation))

    # ------------------------------------------------------------------------------------- choice of algorithm

    def _on_choice(self) -> None:
        if self._session.active.algorithm != self._chosen:
            self._chosen = self._session.active.algorithm
            if self._chosen == AUTO:
                self._follow()
            else:
                self._show(self._chosen)

    def _on_moved(self) -> None:
        """Show the replayed algorithm; while the replay plays, keep the explanation that the user chose to read."""
        plays = self._session.clock.playing or self._session.active.live is not None
        if plays or self._session.active.player.trace is None:
            self._light()
        else:
            self._follow()

    def _on_live(self) -> None:
        """Show the running search's algorithm at its first step on the map."""
        if not self._live_seen:
            self._live_seen = True
            self._follow()

    def show_playing(self) -> None:
        """Show the algorithm of the search on the map when its replay starts."""
        if self._session.clock.playing:
            self._follow()

    def show_searching(self, searching: bool) -> None:
        """Show the algorithm of a search that starts."""
        if searching:
            self._running, self._live_seen = self._session.active.algorithm, False
            if self._running != AUTO:
                self._show(self._running)

    def _on_map(self) -> str:
        """Return the name of the algorithm whose search is on the map, or of the chosen one without a search."""
        if self._session.active.live is not None:  # "automatic" is resolved only in the result
            return self.algorithm if self._running == AUTO else self._running
        slot = self._session.active
        result = slot.result if slot.pairs is None else slot.pairs.result
        return self._chosen if result is None else result.algorithm

    def _follow(self) -> None:
        self._show(self._on_map())

    def _show(self, algorithm: str) -> None:
        if algorithm != self.algorithm:
            self.algorithm = algorithm
            self._read()
            self.verticalScrollBar().setValue(0)
        self._show_way_back()
        self._light()

    def _read(self) -> None:
        self.explanation, self._why_none = None, ""
        if self.algorithm != AUTO:
            try:
                self.explanation = explain(self.algorithm)
            except ExplanationError as problem:  # a recorded search may come from another version
                self._why_none = str(problem)
        self._show_texts()

    def read_again(self) -> None:
        """Show what plug-ins say now, which may have changed."""
        self._read()
        self._light()

    def changeEvent(self, event: QEvent) -> None:
        """Read the texts in another language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.read_again()

    def _show_way_back(self) -> None:
        on_map = self._on_map()
        if on_map in (AUTO, self.algorithm):
            self.way_back.hide()
            return
        text = translated("Back to the search on the map: {search}", search=escape(_title(on_map)))
        style = f"color:{self._theme.interface.accent}; text-decoration:none"
        self.way_back.setText(f'<a style="{style}" href="map">{text}</a>')
        self.way_back.show()

    # ------------------------------------------------------------------------------------------- highlighting

    def _light(self) -> None:
        player = self._session.active.player
        trace = player.trace
        if trace is None or player.before or self._session.active.tree_shown or self._on_map() != self.algorithm:
            self._take_step("", "", in_vain=False)
            self.code.light(None)
            return
        mode, _, phase = trace.labels[player.step]
        in_vain = bool(trace.improved[player.step] == 0)
        self._take_step(trace.label_names[phase], trace.label_names[mode], in_vain=in_vain)
        line = self._at_work
        if self._session.clock.playing and self._run and player.step_s >= READABLE_S * len(self._run):
            share = min(max(player.position - player.step, 0.0), 1.0 - 1e-9)
            line = self._run[int(share * len(self._run))]
        self.code.light(line, self._run)

    def _take_step(self, phase: str, mode: str, *, in_vain: bool) -> None:
        """Look up the lines that a step runs, unless those of the step before were the same."""
        if (phase, mode, in_vain) != self._lit_by:
            self._lit_by, told = (phase, mode, in_vain), self.explanation
            self._run = () if told is None else told.lines_of(phase, mode, in_vain=in_vain)
            self._at_work = None if told is None else told.line_at_work(phase, mode, in_vain=in_vain)

    # ------------------------------------------------------------------------------------------------- texts

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._theme = theme
        self.code.set_theme(theme)
        self._show_texts()
        self._show_way_back()
        self._light()

    def _show_texts(self) -> None:
        explanation, declared = self.explanation, _declared(self.algorithm)
        self._lit_by, self._run, self._at_work = ("", "", False), (), None
        self.code.show_lines(() if explanation is None else [line.text for line in explanation.code])
        self._title.setText(_title(self.algorithm))
        self._paper.setText("" if declared is None else declared.paper)
        self._paper.setVisible(declared is not None)
        self.code.setVisible(explanation is not None)
        self.rest.setVisible(explanation is not None)
        self.copy.setVisible(explanation is not None)
        if explanation is None:
            unknown = translated(
                "This version of wayfront has no explanation of {algorithm}.", algorithm=one_line(self.algorithm)
            )
            if declared is not None:  # a plug-in's
                unknown = f"{translated_message(declared.summary)} ({self._why_none})"
            self.idea.setText(_paragraph(translated(NOTHING_CHOSEN) if self.algorithm == AUTO else unknown))
            self.rest.clear()
            return
        self.idea.setText(_paragraph(explanation.idea))
        self.rest.setText(page(explanation, self._theme))


def page(explanation: Explanation, theme: Theme) -> str:
    """Return the sections below the pseudo-code as rich text."""
    cost = explanation.cost
    sections = [
        _heading(translated("On the map"), theme),
        _bullets(explanation.look, theme),
        _heading(translated("Cost"), theme),
        f'<p style="margin:0; font-size:{scaled(14)}px"><b>{escape(cost.order)}</b></p>',
        f'<p style="margin:0 0 6px 0; {_small(theme)}">{translated(NOTATION)}</p>',
        _paragraph(cost.roads, lead=translated("On a road network")),
        _paragraph(cost.gpu, lead=translated("On a GPU")),
    ]
    if explanation.figures:
        sections.append(_heading(translated("Figures"), theme))
        sections += [_figures(figures, theme) for figures in explanation.figures]
    sections.append(_heading(translated("References"), theme))
    sections += [_paragraph(source, theme.interface.muted) for source in explanation.sources]
    return "".join(sections)


def _figures(figures: Figures, theme: Theme) -> str:
    """Return one table of figures as rich text; this program's own are marked in the accent colour."""
    mark = f'<span style="color:{theme.interface.accent}">{translated("Ours: ")}</span>' if figures.ours else ""
    sections = [
        f'<p style="margin:4px 0 0 0">{mark}<b>{escape(figures.title)}</b></p>',
        f'<p style="margin:0 0 3px 0; {_small(theme)}">{escape(figures.hardware)}</p>',
    ]
    if figures.rows:
        border = f"border-bottom:1px solid {theme.interface.line}"
        head = "".join(_cell(text, column, f"{_small(theme)}; {border}") for column, text in enumerate(figures.columns))
        body = "".join(
            f"<tr>{''.join(_cell(text, column, border) for column, text in enumerate(row))}</tr>"
            for row in figures.rows
        )
        rows = f"<tr>{head}</tr>{body}"
        sections.append(f'<table width="100%" cellspacing="0" cellpadding="3" style="margin-bottom:6px">{rows}</table>')
    if figures.note:
        sections.append(_paragraph(figures.note, theme.interface.muted))
    return "".join(sections)


def _cell(text: str, column: int, style: str) -> str:
    side = "right" if column else "left"
    return f'<td align="{side}" style="{style}">{escape(text)}</td>'


def _heading(text: str, theme: Theme) -> str:
    return f'<p style="margin:14px 0 5px 0; font-weight:600; {_small(theme)}">{text}</p>'


def _small(theme: Theme) -> str:
    return f"color:{theme.interface.muted}; font-size:{scaled(11)}px"


def _paragraph(text: str, colour: str = "", lead: str = "") -> str:
    style = "margin:0 0 5px 0; line-height:132%" + (f"; color:{colour}" if colour else "")
    begin = f"<b>{lead}</b> &nbsp;" if lead else ""
    return f'<p style="{style}">{begin}{escape(text)}</p>'


def _bullets(texts: tuple[str, ...], theme: Theme) -> str:
    dot = f'<td style="color:{theme.interface.accent}; padding-right:7px">•</td>'
    rows = "".join(f'<tr>{dot}<td style="padding-bottom:5px">{_paragraph(text)}</td></tr>' for text in texts)
    return f'<table cellspacing="0" cellpadding="0" style="margin-top:4px">{rows}</table>'


def _prose_label() -> QLabel:
    result = QLabel()
    result.setWordWrap(True)
    result.setTextFormat(Qt.TextFormat.RichText)
    result.setFont(figures_font(result.font()))
    return result


def _declared(name: str) -> Algorithm | None:
    return None if name in ("", AUTO) else next((a for a in algorithms() if a.name == name), None)


def _title(name: str) -> str:
    if name == AUTO:
        return translated("Automatic")
    declared = _declared(name)
    return one_line(name).capitalize() if declared is None else translated_message(declared.title)


FONT_PIXELS = 12
LINE_HEIGHT = 19
PADDING = 8
BAR_WIDTH = 3
AFTERGLOW_S = 0.35
"""How long a highlight takes to fade. A replay may change phase with every frame: without this, lines would flash."""
FADE_MS = 33


class PseudoCode(QWidget):
    """Lines of code, one of them highlighted. Highlighting the same one again costs a comparison.

    ``lit`` is the line at work, None without one; ``run`` are the lines that the step runs: the others are muted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._theme = DARK
        self._lines: tuple[str, ...] = ()
        self.glow: list[float] = []  # of each line, 0 … 1
        self._faded_at = 0.0
        self.lit: int | None = None
        self.run: tuple[int, ...] = ()
        keep_sized(self, PseudoCode._take_font)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fading = QTimer(self)
        self._fading.setInterval(FADE_MS)
        self._fading.timeout.connect(self._fade)

    def _take_font(self) -> None:
        """Take a font of the size that texts have now."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(scaled(FONT_PIXELS))
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.setFont(font)
        self.setMinimumWidth(self.sizeHint().width())

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show other lines, without highlights."""
        self._lines, self.lit, self.run = tuple(lines), None, ()
        self.glow = [0.0] * len(self._lines)
        self._fading.stop()
        self.setAccessibleName(translated("Pseudo-code: {lines}", lines="\n".join(self._lines)))
        self.setMinimumWidth(self.sizeHint().width())
        self.updateGeometry()
        self.update()

    def light(self, line: int | None, run: tuple[int, ...] = ()) -> None:
        """Highlight the line with this index, let all others fade, and mute those that the step does not ``run``."""
        if line == self.lit and run == self.run:
            return
        self.lit, self.run = line, run
        if line is not None:
            self.glow[line] = 1.0
        if self.isVisible():
            self._faded_at = time.monotonic()
            self._fading.start()
        else:
            self._settle()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._theme = theme
        self.update()

    def _fade(self) -> None:
        now = time.monotonic()
        loss, self._faded_at = (now - self._faded_at) / AFTERGLOW_S, now
        for line in range(len(self.glow)):
            if line != self.lit:
                self.glow[line] = max(self.glow[line] - loss, 0.0)
        if sum(self.glow) == (self.lit is not None):
            self._fading.stop()
        self.update()

    def _settle(self) -> None:
        self._fading.stop()
        self.glow = [float(line == self.lit) for line in range(len(self._lines))]

    def hideEvent(self, event: QHideEvent) -> None:
        """End fading at once."""
        self._settle()
        super().hideEvent(event)

    def sizeHint(self) -> QSize:
        """Return the size that the longest line needs."""
        metrics = QFontMetricsF(self.font())
        longest = max(
            (self._inset(line) + metrics.horizontalAdvance(line.lstrip()) for line in self._lines), default=0.0
        )
        return QSize(round(longest) + 2 * PADDING + BAR_WIDTH, len(self._lines) * scaled(LINE_HEIGHT) + 2 * PADDING)

    def _inset(self, line: str) -> float:
        """Return the pixels by which a line is indented, as wide as digits for each of its leading spaces.

        A system's font for code is not always one: of Japanese ones the space may be a third as wide as a letter.
        """
        return (len(line) - len(line.lstrip())) * QFontMetricsF(self.font()).horizontalAdvance("0")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines, with bands under the highlighted ones."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, high = self._theme.interface, scaled(LINE_HEIGHT)
        painter.setPen(QPen(qt_colour(colours.line), 1))
        painter.setBrush(qt_colour(colours.ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        for number, (line, glow) in enumerate(zip(self._lines, self.glow, strict=True)):
            row = QRectF(1, PADDING + number * high, self.width() - 2, high)
            if glow > 0:
                painter.fillRect(row, qt_colour(colours.accent, 0.15 * glow))
                painter.fillRect(
                    QRectF(row.left(), row.top(), BAR_WIDTH, row.height()), qt_colour(colours.accent, glow)
                )
            # Without a step all lines have the text colour; beside those that it runs the others are muted.
            runs = not self.run or number in self.run
            painter.setPen(mixed(qt_colour(colours.muted), qt_colour(colours.text), 1.0 if runs else glow))
            text = row.adjusted(BAR_WIDTH + PADDING - 1 + self._inset(line), 0, 0, 0)
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line.lstrip())
