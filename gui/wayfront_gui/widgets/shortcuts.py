"""A command's shortcuts as this system writes them."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence

from wayfront_gui.model.command import Command
from wayfront_gui.translation import translated


def keys_text(command: Command) -> str:
    """Return a command's shortcuts for display, or an empty string."""
    return translated(" or ").join(map(_native, command.keys))


def tooltip(command: Command) -> str:
    """Return what a button for the command shows, with its first shortcut."""
    return f"{command.about} ({_native(command.keys[0])})" if command.keys else command.about


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
