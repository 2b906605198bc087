"""How large the window's texts are, and sizes that grow with them.

The sizes of the style sheet are scaled with it as a whole. What Python sizes is ``scaled`` where it is painted or
asked for, and ``keep_scaled`` where a widget keeps a size. The map has a scale of its own in the scene's style, since
it is also drawn for files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

AnyWidget = TypeVar("AnyWidget", bound=QWidget)


class TextScale(QObject):
    """The scale of the window's texts; there is one of it, ``text_scale``."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.factor = 1.0

    def choose(self, factor: float) -> None:
        """Have texts ``factor`` times their usual size from now on."""
        if factor != self.factor:
            self.factor = factor
            self.changed.emit()


text_scale = TextScale()


def scaled(pixels: float) -> int:
    """Return a length of the usual size in pixels of now."""
    return round(pixels * text_scale.factor)


def keep_scaled(set_size: Callable[[int], object], pixels: float) -> None:
    """Call a widget's ``set_size`` with a length of the usual size in pixels: now, and whenever texts change theirs."""
    widget = getattr(set_size, "__self__", None)
    assert isinstance(widget, QWidget), "a size belongs to a widget"
    method = getattr(type(widget), set_size.__name__)  # by itself it does not keep the widget alive
    keep_sized(widget, lambda each: method(each, scaled(pixels)))


def keep_sized(widget: AnyWidget, resize: Callable[[AnyWidget], object]) -> None:
    """Call ``resize`` with a widget: now, and whenever texts change their size."""
    _Kept(widget, resize)


class _Kept(QObject):
    """Gives a widget its size again and again; the widget's end is its own."""

    def __init__(self, widget: QWidget, resize: Callable[[Any], object]) -> None:
        super().__init__(widget)
        self._resize = resize
        text_scale.changed.connect(self._apply)
        self._apply()

    def _apply(self) -> None:
        self._resize(self.parent())
