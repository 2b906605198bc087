"""How an algorithm works, beside the map: its idea, and its pseudo-code lit line by line as the replay goes.

The panel follows the last deed: choosing an algorithm shows what is told of it; a new search, playing, stepping and
scrubbing turn back to the search on the map. A frame of the replay reads the step's phase and mode; while they stay
the same, it does no more.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from wayfront.options import AUTO
from wayfront.search.registry import Algorithm, algorithms
from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.model.explanations import NOTATION, Explanation, ExplanationError, Figures, explain
from wayfront_gui.model.session import Session
from wayfront_gui.widgets.controls import GAP, MARGIN, label
from wayfront_gui.widgets.pseudo_code import PseudoCode

NOTHING_CHOSEN = "Choose an algorithm, or search, to read here how it works."


class ExplanationPanel(QScrollArea):
    """Shows what is told of one algorithm and lights its pseudo-code."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._theme = DARK
        self._chosen = self._running = session.active.algorithm
        self._live_seen = False
        self._lit_by = ("", "")
        self.algorithm = ""
        self.explanation: Explanation | None = None
        self._title = label(rank="name", wrap=True)
        self._paper = label(rank="caption", wrap=True)
        self.way_back = _prose_label()
        self.way_back.linkActivated.connect(lambda _link: self._follow())
        self.idea, self.rest = _prose_label(), _prose_label()
        for prose in (self.idea, self.rest):
            prose.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.code = PseudoCode()
        self._arrange()
        session.choice_changed.connect(self._on_choice)
        session.result_changed.connect(self._follow)
        session.live_changed.connect(self._on_live)
        session.view_changed.connect(self._light)
        session.replay_moved.connect(self._on_moved)
        self._follow()

    def _arrange(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        column.setSpacing(GAP + 4)
        head = QVBoxLayout()
        head.setSpacing(3)
        for piece in (self._title, self._paper, self.way_back):
            head.addWidget(piece)
        column.addLayout(head)
        for part in (self.idea, self.code, self.rest):
            column.addWidget(part)
        column.insertSpacing(column.indexOf(self.rest), 2)
        column.addStretch(1)
        self.setWidget(content)
        self.setWidgetResizable(True)

    # ---------------------------------------------------------------------------------------------- which one

    def _on_choice(self) -> None:
        if self._session.active.algorithm != self._chosen:
            self._chosen = self._session.active.algorithm
            if self._chosen == AUTO:
                self._follow()
            else:
                self._show(self._chosen)

    def _on_moved(self) -> None:
        """Follow the replay; while it goes by itself, leave in peace who reads of another algorithm."""
        goes_by_itself = self._session.clock.playing or self._session.active.live is not None
        if goes_by_itself or self._session.active.player.trace is None:
            self._light()
        else:
            self._follow()

    def _on_live(self) -> None:
        """Turn to a search when it is first seen while it runs."""
        if not self._live_seen:
            self._live_seen = True
            self._follow()

    def show_playing(self) -> None:
        """Turn to the search on the map when its replay starts."""
        if self._session.clock.playing:
            self._follow()

    def show_searching(self, searching: bool) -> None:
        """Turn to the search that starts, which is the one on the map if it is shown while it runs."""
        if searching:
            self._running, self._live_seen = self._session.active.algorithm, False
            if self._running != AUTO:
                self._show(self._running)

    def _on_map(self) -> str:
        """Return the name of the algorithm whose search is on the map; without one, of the chosen algorithm."""
        if self._session.active.live is not None:  # which one "automatic" became is not known before the result
            return self.algorithm if self._running == AUTO else self._running
        result = self._session.active.result
        return self._chosen if result is None else result.algorithm

    def _follow(self) -> None:
        self._show(self._on_map())

    def _show(self, algorithm: str) -> None:
        if algorithm != self.algorithm:
            self.algorithm = algorithm
            try:
                self.explanation = None if algorithm == AUTO else explain(algorithm)
            except ExplanationError:  # a recorded search may come from another version
                self.explanation = None
            self._show_texts()
            self.verticalScrollBar().setValue(0)
        self._show_way_back()
        self._light()

    def _show_way_back(self) -> None:
        on_map = self._on_map()
        if on_map in (AUTO, self.algorithm):
            self.way_back.hide()
            return
        text = f"Back to the search on the map: {escape(_title(on_map))}"
        style = f"color:{self._theme.interface.accent}; text-decoration:none"
        self.way_back.setText(f'<a style="{style}" href="map">{text}</a>')
        self.way_back.show()

    # --------------------------------------------------------------------------------------------- lit lines

    def _light(self) -> None:
        trace = self._session.active.player.trace
        if trace is None or self._session.active.tree_shown or self._on_map() != self.algorithm:
            self._light_lines("", "")
            return
        mode, _, phase = trace.labels[self._session.active.player.step]
        self._light_lines(trace.label_names[phase], trace.label_names[mode])

    def _light_lines(self, phase: str, mode: str) -> None:
        if (phase, mode) != self._lit_by:
            self._lit_by = (phase, mode)
            self.code.light(() if self.explanation is None else self.explanation.lit_lines(phase, mode))

    # ------------------------------------------------------------------------------------------------- texts

    def set_theme(self, theme: Theme) -> None:
        """Write in these colours."""
        self._theme = theme
        self.code.set_theme(theme)
        self._show_texts()
        self._show_way_back()
        self._light()

    def _show_texts(self) -> None:
        told, declared = self.explanation, _declared(self.algorithm)
        self._lit_by = ("", "")
        self.code.show_lines(() if told is None else [line.text for line in told.code])
        self._title.setText(_title(self.algorithm))
        self._paper.setText("" if declared is None else declared.paper)
        self._paper.setVisible(declared is not None)
        self.code.setVisible(told is not None)
        self.rest.setVisible(told is not None)
        if told is None:
            unknown = f"This version of wayfront tells nothing of {self.algorithm}."
            self.idea.setText(_paragraph(NOTHING_CHOSEN if self.algorithm == AUTO else unknown))
            return
        self.idea.setText(_paragraph(told.idea))
        self.rest.setText(page(told, self._theme))


def page(told: Explanation, theme: Theme) -> str:
    """Return what stands below the pseudo-code as rich text."""
    cost = told.cost
    parts = [
        _heading("On the map", theme),
        _bullets(told.look, theme),
        _heading("Cost", theme),
        f'<p style="margin:0; font-size:14px"><b>{escape(cost.order)}</b></p>',
        f'<p style="margin:0 0 6px 0; {_small(theme)}">{NOTATION}</p>',
        _paragraph(cost.roads, lead="On a road network"),
        _paragraph(cost.gpu, lead="On a GPU"),
    ]
    if told.figures:
        parts.append(_heading("Figures", theme))
        parts += [_figures(figures, theme) for figures in told.figures]
    parts.append(_heading("Sources", theme))
    parts += [_paragraph(source, theme.interface.muted) for source in told.sources]
    return "".join(parts)


def _figures(figures: Figures, theme: Theme) -> str:
    """Return one table; what this program measured is marked by the accent."""
    mark = f'<span style="color:{theme.interface.accent}">Ours: </span>' if figures.ours else ""
    parts = [
        f'<p style="margin:4px 0 0 0">{mark}<b>{escape(figures.title)}</b></p>',
        f'<p style="margin:0 0 3px 0; {_small(theme)}">{escape(figures.hardware)}</p>',
    ]
    if figures.rows:
        border = f"border-bottom:1px solid {theme.interface.line}"
        head = "".join(_cell(text, at, f"{_small(theme)}; {border}") for at, text in enumerate(figures.columns))
        body = "".join(
            f"<tr>{''.join(_cell(text, at, border) for at, text in enumerate(row))}</tr>" for row in figures.rows
        )
        rows = f"<tr>{head}</tr>{body}"
        parts.append(f'<table width="100%" cellspacing="0" cellpadding="3" style="margin-bottom:6px">{rows}</table>')
    if figures.note:
        parts.append(_paragraph(figures.note, theme.interface.muted))
    return "".join(parts)


def _cell(text: str, column: int, style: str) -> str:
    side = "right" if column else "left"
    return f'<td align="{side}" style="{style}">{escape(text)}</td>'


def _heading(text: str, theme: Theme) -> str:
    return f'<p style="margin:14px 0 5px 0; font-weight:600; {_small(theme)}">{text}</p>'


def _small(theme: Theme) -> str:
    return f"color:{theme.interface.muted}; font-size:11px"


def _paragraph(text: str, color: str = "", lead: str = "") -> str:
    style = "margin:0 0 5px 0; line-height:132%" + (f"; color:{color}" if color else "")
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
    return None if name == AUTO else next((a for a in algorithms() if a.name == name), None)


def _title(name: str) -> str:
    declared = _declared(name)
    return name.capitalize() if declared is None else declared.title
