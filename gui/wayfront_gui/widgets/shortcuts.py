"""A command's shortcuts as this system writes them."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence

from wayfront_gui.model.command import Command


def keys_text(command: Command) -> str:
    """Return a command's shortcuts for display, or an empty string."""
    return " or ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in command.keys)


def tooltip(command: Command) -> str:
    """Return what a button for the command shows, with its first shortcut."""
    text = command.hint or command.plain_text
    return f"{text} ({keys_text(command).partition(' or ')[0]})" if command.keys else text
