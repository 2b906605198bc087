"""Read files, decompressing as needed; the compression is recognised by content, never by suffix."""

from __future__ import annotations

import bz2
import gzip
import lzma
import string
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from wayfront.errors import FormatError
from wayfront.files import open_regular, why_unread
from wayfront.formats.progress import Opening

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COMPRESSIONS: tuple[tuple[str, str, bytes, Callable[[IO[bytes]], Any]], ...] = (
    ("gzip", ".gz", b"\x1f\x8b", gzip.open),
    ("bzip2", ".bz2", b"BZh", bz2.open),
    ("xz", ".xz", b"\xfd7zXZ\x00", lzma.open),
)
"""Name, usual suffix, first bytes and opener of each compression."""

_PRINTABLE = frozenset(string.printable.encode())

_ALWAYS_BYTES = 256 << 20
_LARGEST_RATIO = 1000
"""Lines may unpack to 256 MiB, and beyond that to 1,000 times the file: arcs of equal weights pack very well."""
_XZ_MEMORY = 256 << 20
"""What unpacking xz may take; its own strongest setting takes 65 MiB, and a file may ask for 4 GiB."""

BLOCK_BYTES = 1 << 20
HEAD_BYTES = 1 << 12
_START_BYTES = 64


@contextmanager
def open_stream(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file and yield (decompressed stream, file); the file's position shows the progress of reading.

    Errors of opening and of reading inside the ``with`` block (no such file, a folder, a pipe, no permission, damaged
    or cut off compressed data) are raised as ``FormatError``.
    """
    compression = ""
    try:
        with open_regular(path) as file:
            start = file.read(_START_BYTES)
            file.seek(0)
            for name, _, magic, opener in COMPRESSIONS:
                if start.startswith(magic):
                    compression = name
                    _refuse_xz_memory(start, path)
                    with opener(file) as stream:
                        yield stream, file
                    return
            yield file, file
    except EOFError:
        raise FormatError(f"the {compression} data is cut off: get the file again", path) from None
    except (zlib.error, lzma.LZMAError) as error:
        raise FormatError(f"the {compression} data is damaged ({error}): get the file again", path) from None
    except OSError as error:
        if compression and error.errno is None:  # bz2 and gzip raise a bare OSError about their data
            raise FormatError(f"the {compression} data is damaged ({error}): get the file again", path) from None
        raise FormatError(why_unread(error), path) from None


def _refuse_xz_memory(start: bytes, path: Path) -> None:
    """Raise ``FormatError`` where the first block of an xz file, whose header ``start`` holds, asks for too much."""
    if start.startswith(b"\xfd7zXZ"):
        try:
            lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY).decompress(start, max_length=1)
        except lzma.LZMAError as error:
            if "limit" in str(error).lower():
                raise FormatError("unpacking it takes too much memory: compress it with gzip instead", path) from None


def read_head(path: Path) -> bytes:
    """Return the first ``HEAD_BYTES`` of the decompressed content. Raises ``FormatError``."""
    with open_stream(path) as (stream, _):
        return stream.read(HEAD_BYTES)


def is_binary(head: bytes) -> bool:
    """Return whether bytes are no text: they hold control characters; any encoding but UTF-16 may be text."""
    return any(byte < 128 and byte not in _PRINTABLE for byte in head)


def line_blocks(path: Path, opening: Opening, block_bytes: int = BLOCK_BYTES) -> Iterator[NDArray[np.uint8]]:
    """Yield the decompressed text in blocks of whole lines, uint8 [at most ``block_bytes`` + 1].

    Every block ends with a line feed, also where the file does not. A block is valid until the next one is
    asked for: all share one buffer. Raises ``FormatError`` and, between blocks, ``OpenCancelled``.
    """
    import numpy as np

    buffer = bytearray(block_bytes + 1)
    view, array = memoryview(buffer), np.frombuffer(buffer, np.uint8)
    total, most = max(file_bytes(path), 1), most_text_bytes(path)
    filled = unpacked = 0
    with open_stream(path) as (stream, file):
        while count := _read_into(stream, view[filled:block_bytes]):
            filled += count
            unpacked += count
            if unpacked > most:
                raise FormatError("it unpacks to far more than a file of its size holds: it is taken for a bomb", path)
            whole = buffer.rfind(b"\n", 0, filled) + 1
            if whole:
                yield array[:whole]
                rest = filled - whole
                buffer[:rest] = buffer[whole:filled]
                filled = rest
            elif filled == block_bytes:
                raise FormatError(f"a line is longer than {block_bytes:,} bytes: this is not a network in text", path)
            opening.report(file.tell() / total)
    if filled:
        buffer[filled] = ord("\n")
        yield array[: filled + 1]


def file_bytes(path: Path) -> int:
    """Return the size of a file, 0 where it is unknown."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def most_text_bytes(path: Path) -> int:
    """Return to how many bytes of text a file may unpack, whether it is compressed or not."""
    return max(_ALWAYS_BYTES, _LARGEST_RATIO * file_bytes(path))


def _read_into(stream: Any, view: memoryview) -> int:
    return stream.readinto(view) or 0
