"""What ``-o -`` writes: a file for standard output, for whatever reads the other end of a pipe.

A writer gets a path with a suffix, as for any file; what it wrote is sent when it is whole. So a command that fails
sends nothing, and nothing but the file is on standard output.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wayfront.errors import OptionError
from wayfront_gui import interrupts
from wayfront_gui.cli.streams import PlainStream

STDOUT = "-"
READABLE = (".csv", ".json", ".md", ".svg", ".geojson", ".gpx")
"""Suffixes of files that a terminal can show."""
_PIECE = 1 << 20


def check_stdout(suffix: str) -> None:
    """Raise ``OptionError`` for a file of bytes that would go to a terminal."""
    if suffix not in READABLE and sys.stdout.isatty():
        raise OptionError(f"a {suffix} is not for a terminal: name a file with -o, or send it on with | or >")


@contextmanager
def through_stdout(suffix: str) -> Iterator[str]:
    """Yield the path of a file to write; send it to standard output when the block ends without an exception."""
    folder = Path(tempfile.mkdtemp(prefix="wayfront-"))

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    with interrupts.cleaned_up_by(remove):
        try:
            path = folder / f"output{suffix}"
            yield str(path)
            with path.open("rb") as file:
                while piece := file.read(_PIECE):
                    _send(piece)
        finally:
            remove()


@contextmanager
def file_for(output: str, suffix: str) -> Iterator[str]:
    """Yield the path of a file to write: ``output``, or one that is sent to standard output where that is ``-``."""
    if output != STDOUT:
        yield output
        return
    with through_stdout(suffix) as path:
        yield path


def _send(piece: bytes) -> None:
    if isinstance(sys.stdout, PlainStream):
        sys.stdout.write_bytes(piece)
    else:
        sys.stdout.buffer.write(piece)
        sys.stdout.flush()
