"""What differs between systems in menus and shortcuts. No Qt.

Qt reads ``Ctrl`` as the Command key on macOS, and ``Meta`` as Control. The table of commands holds what is usual on
Linux.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from wayfront_gui.model.command import Command

MAC: Mapping[str, Mapping[str, object]] = {
    "search.cancel": {"keys": ("Esc", "Ctrl+.")},
    "race.next": {"keys": ("Meta+Tab",)},  # Command and Tab change between programs
    "view.full_screen": {"keys": ("Ctrl+Meta+F",)},  # F11 shows the desktop
    "help.keyboard": {"keys": ("Ctrl+?", "?")},
    "replay.start": {"keys": ("Home", "Alt+Left")},  # small keyboards have neither Home nor End
    "replay.end": {"keys": ("End", "Alt+Right")},
}
WINDOWS: Mapping[str, Mapping[str, object]] = {
    "edit.redo": {"keys": ("Ctrl+Y", "Ctrl+Shift+Z")},
    "file.quit": {"text": "E&xit"},
}
_DIFFERENCES = {"darwin": MAC, "win32": WINDOWS}


def for_platform(commands: Iterable[Command], platform: str) -> tuple[Command, ...]:
    """Return commands with the texts and keys that are usual on a system, by its name in ``sys.platform``."""
    different = _DIFFERENCES.get(platform, {})
    return tuple(replace(command, **different.get(command.name, {})) for command in commands)  # type: ignore[arg-type]
