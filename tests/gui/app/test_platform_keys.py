"""Menus and shortcuts of each system: no key twice, none that the system takes for itself."""

from __future__ import annotations

from collections import Counter

import pytest

from wayfront_gui.app.commands import MAC, WINDOWS, for_platform
from wayfront_gui.app.window import all_commands

TAKEN = {
    "darwin": {"Ctrl+Tab", "Ctrl+H", "Ctrl+M", "Ctrl+Space", "F11", "F12", "Ctrl+Shift+3", "Ctrl+Shift+4"},
    "win32": {"Alt+F4", "Alt+Tab", "Ctrl+Esc", "Ctrl+Shift+Esc", "F10"},
    "linux": {"Alt+F4", "Alt+Tab", "F10"},
}
"""Keys that a system, its window manager or its menu bar keeps for itself, as Qt writes them."""


@pytest.mark.parametrize("platform", TAKEN)
def test_no_key_is_given_twice_or_taken_by_the_system(platform: str) -> None:
    commands = for_platform(all_commands(), platform)
    used = Counter(key for command in commands for key in command.keys)
    assert [key for key, count in used.items() if count > 1] == []
    assert used.keys() & TAKEN[platform] == set()


def test_each_system_has_its_own_words_and_keys() -> None:
    everywhere = all_commands()
    found = {name: {c.name: c for c in for_platform(everywhere, name)} for name in TAKEN}
    assert {name: commands["file.quit"].text for name, commands in found.items()} == {
        "darwin": "&Quit",
        "win32": "E&xit",
        "linux": "&Quit",
    }
    assert {name: commands["edit.redo"].keys[0] for name, commands in found.items()} == {
        "darwin": "Ctrl+Shift+Z",
        "win32": "Ctrl+Y",
        "linux": "Ctrl+Shift+Z",
    }
    assert (MAC.keys() | WINDOWS.keys()) <= found["linux"].keys(), "every difference is one of a command"
    assert list(found["linux"].values()) == everywhere
