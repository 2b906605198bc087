"""Labels, choice boxes, buttons and number fields that panels and dialogs share.

Controls are reached by Tab, and a click on one leaves the focus where it is, mostly on the map: Space goes on playing
after Run was clicked, and no key changes what was just chosen. Fields that are typed in take the focus from a click,
and give it back once what was typed is taken over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QAccessibleInterface,
    QAction,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QTextLayout,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QAccessibleWidget,
    QApplication,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionToolButton,
    QStyleOptionViewItem,
    QStylePainter,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from wayfront_gui.ui.style import draw_line, figures_font, keep_scaled, keep_sized, scaled, shown
from wayfront_gui.ui.style import hint as plain_hint
from wayfront_gui.ui.translation import made_again, translated

MARGIN = 14
"""Between a panel's border and its content in pixels."""
GAP = 8
POPUP_MARGINS = 24
"""Frame, padding and scroll bar of a list that a choice box opens."""
NUMBER_INSET = 7
"""Space left of the text in number fields."""
NUMBER_WIDTH = 64
NARROWEST_BOX = 70
LABEL_WIDTH = 76
"""Width of the captions left of fields, so that the fields of all panels are aligned."""
NO_MARGINS = (0, 0, 0, 0)
SPRING = (None, 1)
"""Takes what room a row or column has left."""
Box = TypeVar("Box", bound=QBoxLayout)
Field = TypeVar("Field", bound=QWidget)
Part = QWidget | QLayout | None
Laid = Part | int | tuple[Part, int]
"""What a row or column has: a widget or layout, with its share of spare room if it takes any, or pixels left free."""


def in_row(*parts: Laid, spacing: int = GAP, margins: tuple[int, int, int, int] = NO_MARGINS) -> QHBoxLayout:
    """Return widgets and layouts beside each other."""
    return _filled(QHBoxLayout(), parts, spacing, margins)


def in_column(*parts: Laid, spacing: int = GAP, margins: tuple[int, int, int, int] = NO_MARGINS) -> QVBoxLayout:
    """Return widgets and layouts below each other."""
    return _filled(QVBoxLayout(), parts, spacing, margins)


def _filled(box: Box, parts: Iterable[Laid], spacing: int, margins: tuple[int, int, int, int]) -> Box:
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for each in parts:
        part, share = each if isinstance(each, tuple) else (each, 0)
        if isinstance(part, QWidget):
            box.addWidget(part, share)
        elif isinstance(part, QLayout):
            box.addLayout(part, share)
        elif part is None:
            box.addStretch(share)
        else:
            box.addSpacing(part)
    return box


def holding(layout: QLayout) -> QWidget:
    """Return a widget of a layout, which can be hidden as a whole."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


class Lines(QWidget):
    """Widgets beside each other, each as wide as it asks for, in as many lines as they need; it is as high as these."""

    def __init__(self, *parts: QWidget) -> None:
        super().__init__()
        self._parts = parts
        for part in parts:
            part.setParent(self)

    @property
    def whole_width(self) -> int:
        """How wide one line of all would be."""
        widths = [_asked(part).width() for part in self._parts if not part.isHidden()]
        return sum(widths) + GAP * max(len(widths) - 1, 0)

    def fit(self, room: int) -> None:
        """Divide the widgets into lines of at most this width."""
        y, line, left = 0, list[tuple[QWidget, QRect]](), 0
        for part in (part for part in self._parts if not part.isHidden()):
            size = _asked(part).boundedTo(QSize(max(room, 1), MOST_PIXELS))
            if line and left + size.width() > room:
                y, line, left = _laid(line, y) + GAP // 2, [], 0
            line.append((part, QRect(QPoint(left, y), size)))
            left += size.width() + GAP
        self.setFixedHeight(_laid(line, y))


MOST_PIXELS = (1 << 24) - 1
"""Qt's own limit."""


def _asked(part: QWidget) -> QSize:
    return (
        part.sizeHint().expandedTo(part.minimumSizeHint()).expandedTo(part.minimumSize()).boundedTo(part.maximumSize())
    )


def _laid(line: list[tuple[QWidget, QRect]], y: int) -> int:
    """Place the widgets of a line, centred to one another; return where it ends."""
    high = max((box.height() for _, box in line), default=0)
    for part, box in line:
        part.setGeometry(box.translated(0, (high - box.height()) // 2))
    return y + high


class PlainLabel(QLabel):
    """A label that shows every text as it is, whoever wrote it."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's name
        """Show another text, without anything that would be obeyed."""
        super().setText(shown(text))


class WrappedLabel(PlainLabel):
    """A label of several lines, which asks for the height they need: a panel does not ask it for that by itself."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's name
        """Show another text."""
        super().setText(text)
        self._ask_for_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the text anew."""
        super().resizeEvent(event)
        self._ask_for_height()

    def _ask_for_height(self) -> None:
        self.setMinimumHeight(0)  # else a label that was narrow once would never need less again
        self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))


def label(text: str = "", rank: str = "second", *, wrap: bool = False) -> PlainLabel:
    """Return a label; ``rank`` (name, second, figure, caption) gives size and colour in the style sheet."""
    result = WrappedLabel(text) if wrap else PlainLabel(text)
    result.setProperty("rank", rank)
    if rank == "figure":
        result.setFont(figures_font(result.font()))
    return result


def caption(text: str, field: QWidget) -> PlainLabel:
    """Return the caption that stands left of a field."""
    result = label(text)
    result.setBuddy(field)
    keep_scaled(result.setMinimumWidth, LABEL_WIDTH)
    keep_sized(result, lambda each: each.setMinimumHeight(each.buddy().sizeHint().height()))
    return result


def captioned(text: str, field: QWidget) -> QHBoxLayout:
    """Return a row of a caption and its field."""
    return in_row(caption(text, field), (field, 1))


class ElidedLabel(PlainLabel):
    """A label of one line, cut with an ellipsis where it does not fit; the tooltip holds the whole text."""

    def __init__(self, text: str = "", rank: str = "second") -> None:
        super().__init__()
        self.setProperty("rank", rank)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_text(text)

    def show_text(self, text: str, hint: str = "") -> None:
        """Show ``text``, with ``hint`` (or the text itself) as tooltip."""
        self.setText(text)
        self.setToolTip(plain_hint(hint or text))

    def minimumSizeHint(self) -> QSize:
        """Return no width."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, elided."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)


class TitleLabel(ElidedLabel):
    """A label of one line, or of two where one is too short; what does not fit into two is cut with an ellipsis."""

    def __init__(self, text: str = "", rank: str = "name") -> None:
        super().__init__(text, rank)

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's name
        """Show another text, which may need another number of lines."""
        super().setText(text)
        self.updateGeometry()

    @property
    def lines(self) -> list[str]:
        """The text in lines that fit."""
        layout = QTextLayout(self.text(), self.font())
        layout.beginLayout()
        first = layout.createLine()
        if first.isValid():
            first.setLineWidth(self.width())
        layout.endLayout()
        length = first.textLength() if first.isValid() else 0
        parts = filter(None, (self.text()[:length].rstrip(), self.text()[length:]))
        return [self.fontMetrics().elidedText(part, Qt.TextElideMode.ElideRight, self.width()) for part in parts]

    def sizeHint(self) -> QSize:
        """Return the height of its lines."""
        return QSize(super().sizeHint().width(), max(len(self.lines), 1) * self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        """Return no width."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the text anew."""
        super().resizeEvent(event)
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), "\n".join(self.lines))


class Figure(QWidget):
    """A value with a caption over it; its width does not depend on the value, so the layout stays still."""

    def __init__(self, caption: str) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._value = ElidedLabel(rank="value")
        self._value.setFont(figures_font(self.font()))
        self.setLayout(in_column(ElidedLabel(caption, "caption"), self._value, spacing=1))

    def show_value(self, value: str, hint: str = "") -> None:
        """Show another value."""
        self._value.show_text(value, hint)

    @property
    def value(self) -> str:
        """The shown value."""
        return self._value.text()


class ChoiceBox(QComboBox):
    """A combo box that ignores the wheel, so that scrolling a panel changes nothing in it.

    ``choose`` is called with what an entry stands for when a person chooses it, as it was given: Qt keeps the member of
    a ``StrEnum`` as its bare text, which is equal to the member but not the same object.
    """

    def __init__(
        self, hint: str = "", choose: Callable[[Any], object] | None = None, entries: Iterable[tuple[str, Any]] = ()
    ) -> None:
        super().__init__()
        self._members: dict[str, StrEnum] = {}
        self.setToolTip(plain_hint(hint))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        keep_scaled(self.setMinimumWidth, NARROWEST_BOX)  # an entry that does not fit is elided
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.list_entries(entries)
        if choose is not None:
            self.currentIndexChanged.connect(lambda index: choose(self.itemData(index)))

    def list_entries(self, entries: Iterable[tuple[str, Any]]) -> None:
        """Have these entries, texts with what they stand for, in place of those before; nothing is chosen by that."""
        with QSignalBlocker(self):
            self.clear()
            for text, data in entries:
                self.addItem(text, data)

    def explain_entries(self, hints: Iterable[str]) -> None:
        """Give each entry a tooltip."""
        for index, about in enumerate(hints):
            self.setItemData(index, plain_hint(about), Qt.ItemDataRole.ToolTipRole)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel."""
        event.ignore()

    def addItem(self, text: str, data: Any = None) -> None:  # type: ignore[override]  # noqa: N802 - Qt's name
        """Add an entry, and what it stands for."""
        if isinstance(data, StrEnum):
            self._members[str(data)] = data
        super().addItem(text, data)

    def itemData(self, index: int, role: int = Qt.ItemDataRole.UserRole) -> Any:  # noqa: N802 - Qt's name
        """Return what an entry stands for, or what it has for another role."""
        found = super().itemData(index, role)
        meant = role == Qt.ItemDataRole.UserRole and isinstance(found, str)
        return self._members.get(found, found) if meant else found

    def currentData(self, role: int = Qt.ItemDataRole.UserRole) -> Any:  # noqa: N802 - Qt's name
        """Return what the chosen entry stands for, None where none is chosen."""
        return self.itemData(self.currentIndex(), role)

    @property
    def shown_text(self) -> str:
        """The current entry as far as it fits, with an ellipsis where it is cut."""
        return self._elided_option().currentText

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the box with an elided entry; Qt would cut it in the middle of a letter."""
        painter = QStylePainter(self)
        option = self._elided_option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        """Show an entry that is cut as a whole in the tooltip, above the box's own."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cut = self.currentText() if self.shown_text != self.currentText() else ""
            QToolTip.showText(event.globalPos(), plain_hint("\n".join(filter(None, (cut, self.toolTip())))), self)
            return True
        return super().event(event)

    def showPopup(self) -> None:  # noqa: N802 - Qt's name
        """Open the list, as wide as its longest entry."""
        view = self.view()
        view.setMinimumWidth(max(self.width(), view.sizeHintForColumn(0) + scaled(POPUP_MARGINS)))
        super().showPopup()

    def _elided_option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        right = Qt.TextElideMode.ElideRight
        option.currentText = self.fontMetrics().elidedText(option.currentText, right, field.width() - 2)
        return option

    def choose_data(self, data: object) -> None:
        """Show the entry that holds ``data`` without emitting a signal."""
        index = self.findData(data)
        if index >= 0 and index != self.currentIndex():
            with QSignalBlocker(self):
                self.setCurrentIndex(index)


class Form(QFormLayout):
    """Rows of captions with their fields; ``changed`` is called whenever one of them is changed."""

    def __init__(self, changed: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self._changed = changed
        self.setContentsMargins(*NO_MARGINS)
        self.setSpacing(GAP)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)

    def choice(self, text: str, entries: Mapping[str, Any], hint: str = "") -> ChoiceBox:
        """Add a row to choose one of the entries, texts with what they stand for."""
        box = ChoiceBox(entries=entries.items())
        box.currentIndexChanged.connect(lambda _index: self._changed())
        return self.field(text, box, hint)

    def number(
        self, text: str, low: float, high: float, value: float, *, suffix: str = "", decimals: int = 0, hint: str = ""
    ) -> QDoubleSpinBox:
        """Add a row for a number."""
        box = QDoubleSpinBox()
        box.setDecimals(decimals)
        box.setRange(low, high)
        box.setValue(value)
        box.setSuffix(suffix)
        number_field(box)
        box.valueChanged.connect(lambda _value: self._changed())
        return self.field(text, box, hint)

    def line(self, text: str, value: str = "", hint: str = "") -> QLineEdit:
        """Add a row for a line of text."""
        line = QLineEdit(value)
        line.textChanged.connect(lambda _text: self._changed())
        return self.field(text, line, hint)

    def switch(self, text: str, on: bool = False, hint: str = "") -> QCheckBox:
        """Add a row to switch something on or off."""
        box = check_box(text, hint)
        box.setChecked(on)
        box.toggled.connect(lambda _on: self._changed())
        self.addRow(box)
        return box

    def field(self, text: str, field: Field, hint: str = "") -> Field:
        """Add a row of a caption and a field, and return the field."""
        field.setAccessibleName(text)
        field.setToolTip(plain_hint(hint))
        self.addRow(caption(text, field), field)
        return field


def number_field(box: QAbstractSpinBox) -> None:
    """Make a spin box a field of the window: its text begins where a choice box's does, and it lets go of the focus."""
    box.lineEdit().setTextMargins(NUMBER_INSET, 0, 0, 0)  # the style sheet cannot
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    keep_scaled(box.setMinimumWidth, NUMBER_WIDTH)  # else it asks for the width of its largest number
    let_go_when_done(box)


def let_go_when_done(field: QAbstractSpinBox | QLineEdit) -> None:
    """Give the focus back to the window after Enter, Escape or a click on an arrow; leave the wheel to the panel."""
    field.installEventFilter(_LettingGo(field))


class _LettingGo(QObject):
    """An event filter that gives the focus of one field back."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Look at what ends typing or choosing; the field has it first."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # as a shortcut it would stop a search
            if event.type() == QEvent.Type.KeyPress:
                _focus_window(watched)
            return True
        enters = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        # Of a number field only a click on an arrow comes here: its text is a field of its own.
        clicks = event.type() == QEvent.Type.MouseButtonRelease and isinstance(watched, QAbstractSpinBox)
        if clicks or (enters and event.type() == QEvent.Type.KeyPress):
            watched.event(event)
            _focus_window(watched)
            return True
        return False


def _focus_window(field: QObject) -> None:
    """Give the focus to the window, which passes it on to what has it mostly."""
    assert isinstance(field, QWidget)
    field.window().setFocus()


def push_button(text: str, hint: str = "", rank: str = "", press: Callable[[], object] | None = None) -> QPushButton:
    """Return a button that calls ``press``; ``rank`` ("main") gives its colours in the style sheet."""
    button = QPushButton(text)
    if press is not None:
        button.clicked.connect(press)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(plain_hint(hint))
    if rank:
        button.setProperty("rank", rank)
    return button


def check_box(text: str = "", hint: str = "") -> QCheckBox:
    """Return a check box."""
    box = QCheckBox(text)
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    box.setToolTip(plain_hint(hint))
    return box


def switch(action: QAction, text: str = "") -> QCheckBox:
    """Return a check box of a command that is on or off, by default with its text."""
    box = check_box(text or action.iconText(), action.toolTip())
    box.clicked.connect(lambda on: action.trigger() if on != action.isChecked() else None)

    def follow() -> None:
        box.setChecked(action.isChecked())
        box.setEnabled(action.isEnabled())

    action.changed.connect(follow)
    follow()
    return box


def command_button(action: QAction, text: str = "", rank: str = "") -> QPushButton:
    """Return a button of a command, by default with its text, that is enabled where the command is."""
    button = push_button(text or action.iconText(), action.toolTip(), rank, action.trigger)
    action.changed.connect(lambda: button.setEnabled(action.isEnabled()))
    button.setEnabled(action.isEnabled())
    return button


def tool_button(
    size: int = 20, name: str = "", hint: str = "", press: Callable[[], object] | None = None
) -> QToolButton:
    """Return a flat button for an icon of ``size`` pixels that calls ``press``; ``name`` is read out."""
    button = QToolButton()
    button.setAccessibleName(name)
    button.setToolTip(plain_hint(hint))
    if press is not None:
        button.clicked.connect(press)
    keep_sized(button, lambda each: each.setIconSize(QSize(scaled(size), scaled(size))))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


FOLD_HEIGHT = 28
CHEVRON = 16
"""Width of the mark of a fold, left of its title."""


class FoldHeader(QToolButton):
    """The line of a fold: a mark that says whether it is open, its title, and a summary while it is closed."""

    def __init__(self, title: str, about: str) -> None:
        super().__init__()
        self._about, self.summary = about, ""
        self.is_open = False
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        keep_scaled(self.setFixedHeight, FOLD_HEIGHT)

    def show_state(self, is_open: bool, summary: str) -> None:
        """Show whether the fold is open, and what it says of itself while it is closed."""
        self.is_open, self.summary = is_open, summary
        self.setToolTip(plain_hint("\n".join(filter(None, (summary, self._about)))))
        self.setAccessibleDescription(summary)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Keep what it says of itself in the language in use."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._about = made_again(self._about)
            self.show_state(self.is_open, made_again(self.summary))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open or close with Enter too; Space does so of itself."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Return the width of mark and title."""
        return QSize(scaled(CHEVRON) + self._bold().horizontalAdvance(self.accessibleName()), scaled(FOLD_HEIGHT))

    def sizeHint(self) -> QSize:
        """Return the width of mark and title: a summary is cut where there is no room."""
        return self.minimumSizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw mark, title and summary."""
        painter = QStylePainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelButtonTool, option)
        muted = QApplication.palette().color(
            QPalette.ColorRole.PlaceholderText
        )  # its own is what the sheet makes of it
        painter.setPen(QPen(muted, 1.4 * scaled(10) / 10, c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin))
        left_of = self.contentsMargins().left()
        middle, arm = QPointF(left_of + scaled(CHEVRON) / 2 - 1, self.height() / 2), scaled(10) / 10 * 3
        across, along = (
            (QPointF(arm, 0), QPointF(0, arm / 2)) if self.is_open else (QPointF(0, arm), QPointF(arm / 2, 0))
        )
        painter.drawPolyline([middle - across - along, middle + along, middle + across - along])
        box = QRectF(self.rect()).adjusted(left_of + scaled(CHEVRON), 0, -GAP // 2, 0)
        bold, plain, left = self._bold(), painter.font(), Qt.AlignmentFlag.AlignVCenter
        painter.setFont(demi_bold(plain))
        painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
        draw_line(painter, box, self.accessibleName(), left)
        if not self.is_open and self.summary:
            painter.setFont(figures_font(plain))
            painter.setPen(muted)
            draw_line(
                painter, box.adjusted(bold.horizontalAdvance(self.accessibleName()) + GAP, 0, 0, 0), self.summary, left
            )

    def _bold(self) -> QFontMetrics:
        return QFontMetrics(demi_bold(self.font()))


def demi_bold(font: QFont) -> QFont:
    """Return a font in the weight of titles."""
    result = QFont(font)
    result.setWeight(QFont.Weight.DemiBold)
    return result


class Fold(QWidget):
    """A part of a panel that folds into one line, which then says in a summary what matters of it.

    Its height is that of the line, with that of the content while it is open. Space, Enter or a click on the line
    opens and closes it; ``about`` is the line's tooltip.
    """

    opened = Signal(bool)
    """It was opened (true) or closed."""

    def __init__(
        self,
        title: str,
        content: QWidget,
        open: bool = False,  # noqa: A002
        summary: str = "",
        about: str = "",
    ) -> None:
        super().__init__()
        self.title, self.content, self._summary = title, content, summary
        self.header = FoldHeader(title, about or translated("Show or hide this part"))
        self.header.clicked.connect(lambda: self.set_open(not self.is_open))
        self.setLayout(in_column(self.header, content, spacing=GAP // 2))
        content.setVisible(open)
        self.header.show_state(open, summary)

    @property
    def is_open(self) -> bool:
        """Whether its content is shown."""
        return self.header.is_open

    def set_open(self, open: bool) -> None:  # noqa: A002
        """Show or hide its content."""
        if open == self.is_open:
            return
        self.header.show_state(open, self._summary)
        self.content.setVisible(open)
        self.opened.emit(open)
        QAccessible.updateAccessibility(QAccessibleEvent(self.header, QAccessible.Event.StateChanged))

    def set_summary(self, summary: str) -> None:
        """Say something else beside the title while it is closed."""
        if summary != self._summary:
            self._summary = summary
            self.header.show_state(self.is_open, summary)


_installed: list[Callable[[str, QObject], QAccessibleInterface | None]] = []


class _NamedBox(QAccessibleWidget):
    """A combo box with its name, its value, its list, and the two things that it does."""

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box, QAccessible.Role.ComboBox)

    def _box(self) -> QComboBox:
        box = self.object()
        assert isinstance(box, QComboBox)
        return box

    def text(self, which: QAccessible.Text) -> str:
        """Return the chosen entry as the value; all else as of any widget."""
        return self._box().currentText() if which == QAccessible.Text.Value else super().text(which)

    def childCount(self) -> int:  # noqa: N802 - Qt's name
        """Return 1, the list."""
        return 1

    def child(self, index: int) -> QAccessibleInterface:
        """Return the list."""
        view = self._box().view() if index == 0 else None
        return QAccessible.queryAccessibleInterface(view) if view is not None else None  # type: ignore[return-value]

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802 - Qt's name
        """Return 0 for the list, -1 for anything else."""
        return 0 if child.object() is self._box().view() else -1

    def actionNames(self) -> list[str]:  # noqa: N802 - Qt's name
        """Return that its list can be shown, and that it can be pressed, which does the same."""
        return ["ShowMenu", "Press"] if self._box().isEnabled() else []

    def doAction(self, name: str) -> None:  # noqa: N802 - Qt's name
        """Show or hide the list."""
        box = self._box()
        if name in ("ShowMenu", "Press") and box.isEnabled():
            if box.view().isVisible():
                box.hidePopup()
            else:
                box.showPopup()


class _FoldLine(QAccessibleWidget):
    """The line of a fold: a button that is expanded or collapsed."""

    def __init__(self, header: FoldHeader) -> None:
        super().__init__(header, QAccessible.Role.Button)

    def _header(self) -> FoldHeader:
        header = self.object()
        assert isinstance(header, FoldHeader)
        return header

    def state(self) -> QAccessible.State:
        """Return the state of a widget, and whether its fold is open."""
        state = super().state()
        state.expandable = True
        state.expanded, state.collapsed = self._header().is_open, not self._header().is_open
        return state

    def actionNames(self) -> list[str]:  # noqa: N802 - Qt's name
        """Return that it can be pressed."""
        return ["Press"] if self._header().isEnabled() else []

    def doAction(self, name: str) -> None:  # noqa: N802 - Qt's name
        """Open or close the fold."""
        if name == "Press":
            self._header().click()


def name_controls() -> None:
    """Let screen readers be told what every control is from now on, where Qt would not do it by itself."""
    if _installed:
        return
    names_boxes = sys.platform not in ("win32", "darwin")  # there Qt names them

    def make(key: str, of: QObject) -> QAccessibleInterface | None:  # Qt asks by what a class is called
        if key == "ChoiceBox" and names_boxes and isinstance(of, QComboBox):
            return _NamedBox(of)
        return _FoldLine(of) if key == "FoldHeader" and isinstance(of, FoldHeader) else None

    _installed.append(make)  # Qt does not keep it
    QAccessible.installFactory(make)


def action_row(actions: Mapping[str, QAction], texts: Mapping[str, str]) -> QHBoxLayout:
    """Return a button for each command that ``texts`` names, in its order."""
    buttons = in_row(spacing=GAP // 2)
    for name, text in texts.items():
        actions[name].setIconText(translated(text))
        button = text_button(actions[name])
        button.setProperty("row", "true")  # several share the width of a panel
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        buttons.addWidget(button, 1)
    return buttons


def text_button(action: QAction) -> QToolButton:
    """Return a button of a command that shows its text, and whether it is on."""
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setProperty("rank", "toggle")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


SCREEN_SHARE = 0.94
"""How much of a screen's width and height a dialog takes at most: its frame is not counted."""
_BAR = 10
"""Width of a scroll bar with the line beside it, in pixels with texts of the usual size."""


class Scrolling(QScrollArea):
    """Asks for the room that its content needs, and scrolls it downward where there is less."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus

    def sizeHint(self) -> QSize:
        """Return the content's size."""
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the content's width, with a scroll bar, and little height."""
        return QSize(self._content.minimumSizeHint().width() + scaled(_BAR), 4 * self.fontMetrics().height())

    def be_wide_enough(self) -> None:
        """Be no narrower than the content wants to be at least beside a scroll bar."""
        self.setMinimumWidth(self._content.minimumWidth() + scaled(_BAR))


def in_scroll_area(content: QWidget) -> QScrollArea:
    """Return a panel in an area that scrolls it where it is too low for it, and is never narrower."""
    if isinstance(content, QScrollArea):
        return content
    scroll = Scrolling(content)
    keep_sized(scroll, Scrolling.be_wide_enough)
    return scroll


def fit_screen(dialog: QDialog, wanted: QSize | None = None) -> None:
    """Give a dialog the size that it asks for, or a ``wanted`` one, as far as its screen has room."""
    room = dialog.screen().availableGeometry().size() * SCREEN_SHARE
    dialog.resize((wanted or dialog.sizeHint()).boundedTo(room))


ROW_HEIGHT = 28
ROW_MARGIN = 9


class ListRows(QStyledItemDelegate):
    """Draws one cell; the columns ``figures`` are aligned at the right, with digits of one width."""

    def __init__(self, parent: QObject, figures: Collection[int] = ()) -> None:
        super().__init__(parent)
        self._figures = figures

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the text's width with margins, and the height of a row."""
        return QSize(super().sizeHint(option, index).width() + 2 * ROW_MARGIN, scaled(ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the cell."""
        painter.save()
        figures = index.column() in self._figures
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.midlight())
        if figures:
            painter.setFont(figures_font(option.font))
        first = index.column() == 0
        role = QPalette.ColorRole.Text if first else QPalette.ColorRole.PlaceholderText
        painter.setPen(option.palette.color(role))
        side = Qt.AlignmentFlag.AlignRight if figures else Qt.AlignmentFlag.AlignLeft
        room = option.rect.adjusted(ROW_MARGIN, 0, -ROW_MARGIN, 0)
        text = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


DETAIL_ROLE = Qt.ItemDataRole.UserRole + 2  # a standard item keeps data without a role under the one before
"""What ``NamedRows`` draw beside a row's text."""


_LEAST_DETAIL = 0.45
"""The share of a row that its detail may take beside a long text; a short text leaves it more."""


class NamedRows(QStyledItemDelegate):
    """Draws a row's text and, in the secondary colour, its detail: at the right, or ``below``.

    ``height`` is that of a row, ``margins`` stay free at its left, top, right and bottom. A row that is
    disabled has its text in the secondary colour, too, and is not shown as selected.
    """

    def __init__(
        self, parent: QObject, height: int, margins: tuple[int, int, int, int], *, below: bool = False
    ) -> None:
        super().__init__(parent)
        self._height, self._margins, self._below = height, margins, below

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a row."""
        return QSize(100, scaled(self._height))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(figures_font(option.font))
        enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        if option.state & QStyle.StateFlag.State_Selected and enabled:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(option.palette.midlight())
            painter.drawRoundedRect(QRectF(option.rect).adjusted(2, 1, -2, -1), 5, 5)
        left, top, right, bottom = self._margins
        text, detail = QRectF(option.rect).adjusted(left, top, -right, -bottom), str(index.data(DETAIL_ROLE))
        colours = option.palette
        painter.setPen(colours.color(QPalette.ColorGroup.Active, QPalette.ColorRole.PlaceholderText))
        middle = Qt.AlignmentFlag.AlignVCenter
        place = QRectF(text)
        if not self._below:
            advance = painter.fontMetrics().horizontalAdvance
            room = max(text.width() - advance(str(index.data())) - 2 * GAP, text.width() * _LEAST_DETAIL)
            place.setLeft(text.right() - min(room, advance(detail) + 1))
        beside = middle | Qt.AlignmentFlag.AlignRight
        draw_line(painter, place, detail, Qt.AlignmentFlag.AlignBottom if self._below else beside)
        if enabled:
            painter.setPen(colours.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text))
        if not self._below:
            text.setRight(place.left() - 2 * GAP)
        draw_line(painter, text, str(index.data()), Qt.AlignmentFlag.AlignTop if self._below else middle)
        painter.restore()
