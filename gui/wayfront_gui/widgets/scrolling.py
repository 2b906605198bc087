"""Areas that scroll what there is no room for, and dialogs that are never larger than the screen."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QScrollArea, QWidget

from wayfront_gui.look.text_scale import keep_sized, scaled

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
    """Return a dock's panel in an area that scrolls it where it is too low for it, and is never narrower."""
    if isinstance(content, QScrollArea):
        return content
    scroll = Scrolling(content)
    keep_sized(scroll, Scrolling.be_wide_enough)
    return scroll


def fit_screen(dialog: QDialog, wanted: QSize | None = None) -> None:
    """Give a dialog the size that it asks for, or a ``wanted`` one, as far as its screen has room."""
    room = dialog.screen().availableGeometry().size() * SCREEN_SHARE
    dialog.resize((wanted or dialog.sizeHint()).boundedTo(room))
