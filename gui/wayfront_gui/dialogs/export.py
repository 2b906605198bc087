"""Base of the dialogs that export: a preview, a form, what the file will be, and where to write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QHBoxLayout, QLabel, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from wayfront_gui.dialogs.job_dialog import JobDialog, plain_button
from wayfront_gui.engine_thread.export_jobs import CallJob
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.look.text_scale import keep_scaled
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, ChoiceBox, caption, label, number_field

PREVIEW = QSize(420, 300)
FORM_WIDTH = 330
_SETTLED_MS = 250
"""A preview is drawn once nothing was changed for so long."""
_PREVIEW, _EXPORT = "preview", "export"

AskWhere = Callable[[str, str, str], tuple[str, str]]
"""Takes a title, a file's name and the kinds of files; returns a path, empty for none, and the kind chosen."""


class ExportDialog(JobDialog):
    """Shows how the file will look, and writes it; closing it stops that.

    ``ask_where`` asks for the file, ``wrote`` is told its name.
    """

    def __init__(self, title: str, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(title, parent)
        self._ask_where, self._wrote = ask_where, wrote
        self.preview = QLabel()
        self.preview.setFixedSize(PREVIEW)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.preview.setAccessibleName(translated("Preview"))
        self.expected = label(wrap=True)
        self.close_button = plain_button(translated("Close"), translated("Close this window (Esc)"))
        self.close_button.clicked.connect(self.reject)
        self.save = plain_button(translated("Save…"), translated("Choose a name and save"), "main")
        self.save.clicked.connect(self.ask)
        self.form = QVBoxLayout()
        self.form.setSpacing(GAP)
        self.left = QVBoxLayout()
        self.left.addWidget(self.preview)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLED_MS)
        self._settled.timeout.connect(self._draw_preview)
        self._captions: list[QLabel] = []
        self._complete = False
        self._arrange()

    def begin(self) -> None:
        """Show the first preview; to be called once the form is complete."""
        self._complete = True
        self.change()

    def _arrange(self) -> None:
        right = QWidget()
        keep_scaled(right.setFixedWidth, FORM_WIDTH)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self.form)
        column.addStretch(1)
        column.addWidget(self.expected)
        both = QHBoxLayout()
        both.setSpacing(2 * GAP)
        both.addLayout(self.left)
        both.addWidget(right)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(self.problem, 1)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.save)
        self.column.addLayout(both)
        self.footer.addWidget(self.progress)
        self.footer.addLayout(buttons)

    # ---------------------------------------------------------------------------------------- what a dialog is of

    def kinds(self) -> str:
        """Return the kinds of files, as a file dialog takes them."""
        raise NotImplementedError

    def file_name(self) -> str:
        """Return how a file may be called."""
        raise NotImplementedError

    def drawing(self) -> Callable[[Report], QImage]:
        """Return what draws the preview, on another thread. Raises ``OptionError`` where the choice is impossible."""
        raise NotImplementedError

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the file, on another thread. Raises ``OptionError`` as well."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------ the form

    def add_choice(self, text: str, entries: dict[str, Any]) -> ChoiceBox:
        """Add a row to choose one of the entries, texts with what they stand for."""
        box = ChoiceBox()
        for entry, data in entries.items():
            box.addItem(entry, data)
        box.currentIndexChanged.connect(self.change)
        self.add_row(text, box)
        return box

    def add_number(
        self, text: str, low: float, high: float, value: float, suffix: str = "", decimals: int = 0
    ) -> QSpinBox | QDoubleSpinBox:
        """Add a row for a number."""
        box: QSpinBox | QDoubleSpinBox
        if decimals:
            box = QDoubleSpinBox()
            box.setDecimals(decimals)
        else:
            box = QSpinBox()
            low, high, value = int(low), int(high), int(value)
        box.setRange(low, high)  # type: ignore[arg-type]
        box.setValue(value)  # type: ignore[arg-type]
        box.setSuffix(suffix)
        number_field(box)
        box.valueChanged.connect(self.change)
        self.add_row(text, box)
        return box

    def add_switch(self, text: str, on: bool) -> QCheckBox:
        """Add a row to switch something on or off."""
        box = QCheckBox(text)
        box.setChecked(on)
        box.toggled.connect(self.change)
        self.form.addWidget(box)
        return box

    def add_text(self, text: str, value: str) -> QLineEdit:
        """Add a row for a line of text."""
        line = QLineEdit(value)
        line.textChanged.connect(self.change)
        self.add_row(text, line)
        return line

    def add_row(self, text: str, *fields: QWidget) -> None:
        """Add a row: a caption, and fields beside it."""
        row = QHBoxLayout()
        row.setSpacing(GAP)
        self._captions.append(caption(text, fields[0]))
        row.addWidget(self._captions[-1])
        for field in fields:
            field.setAccessibleName(text)
            row.addWidget(field, 1)
        self.form.addLayout(row)
        self._captions[-1].ensurePolished()  # only then it knows how wide it will be
        widest = max(max(each.sizeHint().width(), each.minimumWidth()) for each in self._captions)
        for each in self._captions:
            each.setMinimumWidth(widest)

    # ------------------------------------------------------------------------------------------------ doing it

    def change(self) -> None:
        """Something was chosen: show what applies now, and a preview soon."""
        if self._complete:
            self.show_state()
            self._settled.start()

    def ask(self) -> None:
        """Ask where, and write the file there."""
        path, kind = self._ask_where(self.windowTitle(), self.file_name(), self.kinds())
        if path:
            self.write(with_suffix(path, next(iter(_suffixes(kind or self.kinds())), "")))

    def write(self, path: Path) -> None:
        """Write the file."""
        try:
            writing = self.writing(path)
        except ValueError as problem:  # an option that is impossible says so
            self.show_problem(translated_message(str(problem)))
            return
        self.start(CallJob(writing, _EXPORT), lambda _found: self._on_written(path))

    def done(self, result: int) -> None:
        """Stop what is drawn or written, and close."""
        self._complete = False
        self._settled.stop()
        super().done(result)

    def _on_written(self, path: Path) -> None:
        self._wrote(translated("Saved {path}", path=path))
        self.accept()

    def _draw_preview(self) -> None:
        if self.worker.busy and self.progress.isVisible():
            return
        try:
            drawing = self.drawing()
        except ValueError as problem:
            self.show_problem(translated_message(str(problem)))
            return
        self.show_problem("")
        self.worker.submit(CallJob(drawing, _PREVIEW, quiet=True), self._show_preview)

    def _show_preview(self, image: QImage) -> None:
        ratio = self.devicePixelRatioF()
        room = PREVIEW * ratio
        image.setDevicePixelRatio(1.0)
        fitted = image.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
        fitted.setDevicePixelRatio(ratio)
        painter = QPainter(fitted)  # a white sheet on a white window would have no edge
        try:
            painter.setPen(QPen(self.palette().mid().color(), 1.0))
            painter.drawRect(QRectF(0.5, 0.5, fitted.width() / ratio - 1, fitted.height() / ratio - 1))
        finally:
            painter.end()
        self.preview.setPixmap(QPixmap.fromImage(fitted))


def _suffixes(kinds: str) -> list[str]:
    """Return the suffixes in ``PNG picture (*.png);;…``."""
    return [part.strip("*();") for part in kinds.replace("(", " ").replace(")", " ").split() if part.startswith("*.")]


def with_suffix(path: str, suffix: str) -> Path:
    """Return where a file is written that was named without its suffix."""
    return Path(path) if Path(path).suffix else Path(path + suffix)
