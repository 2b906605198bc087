"""A command's shortcuts as this system writes them."""

from __future__ import annotations

import re

from PySide6.QtGui import QKeySequence

from wayfront_gui.model.command import Command
from wayfront_gui.translation import translated

_KEY_BEHIND = re.compile(r"\(&\w\)")
"""The menu key of a language that is not written in letters stands behind the text."""


def keys_text(command: Command) -> str:
    """Return a command's shortcuts for display, or an empty string."""
    return translated(" or ").join(map(_native, command.keys))


def tooltip(command: Command) -> str:
    """Return what a button for the command shows, with its first shortcut."""
    text = about(command)
    return f"{text} ({_native(command.keys[0])})" if command.keys else text


def about(command: Command) -> str:
    """Return what a command does, in the language in use."""
    return translated(command.hint) if command.hint else plain_text(command)


def plain_text(command: Command) -> str:
    """Return a command's name in the language in use, without the mark of its menu key."""
    return without_key(translated(command.text))


def without_key(text: str) -> str:
    """Return a menu's or a command's text without the mark of its menu key: ``&Open``, ``開く(&O)``."""
    return _KEY_BEHIND.sub("", text).replace("&", "")


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
