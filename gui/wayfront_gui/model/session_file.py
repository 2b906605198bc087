"""The session file, ``.wfsession``: all slots as they were, and how they are shown. No Qt.

It is JSON and names its network by path and content key; it holds no network and no search. It may come from a
stranger: everything is looked at before it is used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wayfront.errors import FormatError
from wayfront.files import read_at_most, write_text_whole
from wayfront_gui.model.race_field import MOST_LANES
from wayfront_gui.model.saved_session import SavedSession

SUFFIX = ".wfsession"
_KIND, _VERSION = "wayfront session", 1
_LONGEST = 1 << 20
"""Bytes: six slots with thousands of closed roads have half of it."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """What a session file holds.

    slots       at least one, that which panels show first; all on one network
    theme       a theme's name; one that does not exist leaves that of the window
    colour_map  the colours of distance, likewise
    split       whether a race is shown on one map in strips
    """

    slots: tuple[SavedSession, ...]
    theme: str = ""
    colour_map: str = ""
    split: bool = False

    def write(self, path: str | Path) -> None:
        """Write the file. Raises ``WriteError``."""
        plain = {
            "kind": _KIND,
            "version": _VERSION,
            "slots": [json.loads(slot.text()) for slot in self.slots],
            "theme": self.theme,
            "colour_map": self.colour_map,
            "split": self.split,
        }
        write_text_whole(path, json.dumps(plain, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: str | Path) -> SessionFile:
        """Read a file. Raises ``FormatError``."""
        written = read_at_most(path, _LONGEST, f"a session has at most {_LONGEST:,} bytes")
        try:
            plain = _checked(json.loads(written))
            saved = tuple(SavedSession.read(json.dumps(slot)) for slot in plain["slots"])
        except (ValueError, TypeError, RecursionError) as problem:
            raise FormatError(f"the session cannot be read: {problem}", path) from None
        slots = tuple(_found(slot, Path(path).parent) for slot in saved)
        return cls(slots, str(plain.get("theme")), str(plain.get("colour_map")), plain.get("split") is True)


def _checked(plain: Any) -> dict[str, Any]:
    if not isinstance(plain, dict) or (plain.get("kind"), plain.get("version")) != (_KIND, _VERSION):
        raise ValueError("it is no session of this version of wayfront")
    slots = plain.get("slots")
    if not isinstance(slots, list) or not 1 <= len(slots) <= MOST_LANES:
        raise ValueError(f"a session has 1 to {MOST_LANES} searches")
    return plain


def _found(slot: SavedSession, folder: Path) -> SavedSession:
    """Return a slot whose network is taken from beside the session where it is no longer where it was."""
    beside = folder / Path(slot.opened_by.replace("\\", "/")).name
    try:
        moved = not Path(slot.opened_by).exists() and beside.is_file()
    except (OSError, ValueError):  # longer than the system allows, or with a zero byte
        return slot
    return replace(slot, opened_by=str(beside)) if moved else slot
