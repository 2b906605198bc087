"""Hand the file of a plug-in to a process elsewhere, which searches by what the file declares.

Its text is sent, not its path: the process may run on another machine. It is kept there in a folder of the user's own
and loaded from it, under the same rights; whoever can hand it over could run anything there before.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from wayfront.files import read_at_most, write_whole
from wayfront.plugins.loading import LONGEST_FILE, forget_file, load_plugin, named_files
from wayfront.user_folders import cache_folder, make_private

FOLDER = "plug-ins"


class SentFile(NamedTuple):
    """The name and the content of a plug-in's file."""

    name: str
    text: bytes


def send_file(path: Path) -> SentFile | None:
    """Return the file of a plug-in to be sent, None where this is no file that a person named as one."""
    if str(path.resolve()) not in named_files():
        return None
    return SentFile(path.name, _text(path))


def take_file(sent: SentFile) -> None:
    """Load a plug-in that was sent, in place of an earlier text of it; do nothing where it is loaded.

    Raises ``PluginError`` where it fails here, and ``OSError`` where it cannot be kept.
    """
    folder = cache_folder() / FOLDER
    for known in map(Path, named_files()):
        if known.name == sent.name:
            if _text(known) == sent.text:
                return
            if known.is_relative_to(folder.resolve()):
                forget_file(known)
    own = make_private(make_private(folder) / hashlib.sha256(sent.text).hexdigest()[:16]) / sent.name
    with write_whole(own) as file:
        file.write(sent.text)
    load_plugin(own)


def _text(path: Path) -> bytes:
    return read_at_most(path, LONGEST_FILE, "the file is too large for a plug-in")
