"""Base of the dialogs that download or export: a worker of their own, its progress and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QProgressBar, QPushButton, QWidget

from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.jobs import Job
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    ElidedLabel,
    PlainLabel,
    Scrolling,
    fit_screen,
    holding,
    in_column,
    in_row,
    label,
    push_button,
)
from wayfront_gui.ui.translation import translated


class JobDialog(QDialog):
    """A modeless dialog; closing it cancels its job and ends its thread."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.worker = Worker(self)
        self.problem = problem_label()
        self._stage = ElidedLabel()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self.stop = plain_button(translated("Cancel"), translated("Stop what is being done (Esc)"), press=self._cancel)
        self.close_button = closing_button(self)
        self.progress = holding(in_row((self._stage, 2), (self._bar, 1), self.stop))
        keep = self.progress.sizePolicy()
        keep.setRetainSizeWhenHidden(True)  # nothing jumps when a download starts
        self.progress.setSizePolicy(keep)
        self.progress.hide()
        self.column = in_column(spacing=GAP + 2, margins=(MARGIN + 4, MARGIN + 4, MARGIN + 4, GAP))
        """What scrolls where the screen is too small for it."""
        self.footer = in_column(spacing=0, margins=(MARGIN + 4, 0, MARGIN + 4, MARGIN))
        """What stays in sight below it."""
        self.setLayout(in_column((Scrolling(holding(self.column)), 1), self.footer, spacing=0))
        self.worker.progressed.connect(self._show_progress)
        self.worker.busy_changed.connect(self._on_busy)
        self.worker.failed.connect(self.show_problem)

    @property
    def stage(self) -> str:
        """The stage of the running job, as shown."""
        return self._stage.text()

    def show_modeless(self) -> None:
        """Show the dialog; it is deleted once it is closed."""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit_screen(self, self.first_size())
        self.show()

    def first_size(self) -> QSize | None:
        """Return how large the dialog is at first where the screen has room for that, None for what it asks for."""
        return None

    def start(self, job: Job, on_done: Callable[[Any], None]) -> None:
        """Start a job in place of the one before; call ``on_done`` with its result."""
        self.show_problem("")
        self._show_progress("starting", -1.0)
        self.worker.submit(job, on_done)

    def show_problem(self, problem: str) -> None:
        """Show an error until the next job starts; an empty string hides it."""
        self.problem.setText(problem[:1].upper() + problem[1:])
        self.problem.setVisible(bool(problem))
        if problem and self.isVisible():
            fit_screen(self, self.sizeHint().expandedTo(self.size()))

    def show_state(self) -> None:
        """Enable the buttons that apply now; each dialog overrides this."""

    def done(self, result: int) -> None:
        """Cancel the running job, then close; a server that does not answer keeps its thread, not the window."""
        self.worker.shut_down(0.0)
        super().done(result)

    def _cancel(self) -> None:
        self.worker.cancel()

    def _show_progress(self, stage: str, fraction: float) -> None:
        self._stage.show_text(stage[:1].upper() + stage[1:])
        self._bar.setRange(0, 0 if fraction < 0 else 1000)
        self._bar.setValue(max(int(fraction * 1000), 0))

    def _on_busy(self, busy: bool) -> None:
        self.progress.setVisible(busy)
        self.show_state()


def problem_label() -> PlainLabel:
    """Return the label that says what is wrong, hidden until something is."""
    result = label(wrap=True)
    result.setProperty("tone", "bad")
    result.hide()
    return result


def closing_button(dialog: QDialog) -> QPushButton:
    """Return the button that closes a dialog."""
    return plain_button(translated("Close"), translated("Close this window (Esc)"), press=dialog.reject)


def plain_button(text: str, about: str, rank: str = "", press: Callable[[], object] | None = None) -> QPushButton:
    """Return a button that the Return key presses only while it has the focus."""
    button = push_button(text, about, rank, press)
    button.setAutoDefault(False)
    return button
