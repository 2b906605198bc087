"""Read and write files, packed or plain, and tell how far that is; what is packed is recognised by content alone."""

from __future__ import annotations

import bz2
import gzip
import lzma
import string
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import IO, TYPE_CHECKING, Any, cast

from wayfront.safe.errors import FormatError, OpenCancelled
from wayfront.safe.files import file_bytes, open_regular, why_unread, write_whole
from wayfront.safe.memory import describe_bomb, most_unpacked, require_memory
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork


COMPRESSIONS: tuple[tuple[str, str, bytes, Callable[[IO[bytes]], Any]], ...] = (
    ("gzip", ".gz", b"\x1f\x8b", gzip.open),
    ("bzip2", ".bz2", b"BZh", bz2.open),
    ("xz", ".xz", b"\xfd7zXZ\x00", lzma.open),
)
"""Name, usual suffix, first bytes and opener of each compression."""

_PRINTABLE = frozenset(string.printable.encode())

_XZ_MEMORY = 256 << 20
"""What unpacking xz may take; its own strongest setting takes 65 MiB, and a file may ask for 4 GiB."""

BLOCK_BYTES = 1 << 20
HEAD_BYTES = 1 << 12
_START_BYTES = 64


@contextmanager
def open_stream(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file and yield (decompressed stream, file); the file's position shows the progress of reading.

    Errors of opening and of reading inside the ``with`` block (no such file, a folder, a pipe, no permission, damaged
    or cut off compressed data, and data that unpack to more than a file of its size may hold) are raised as
    ``FormatError``.
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
                        yield cast("IO[bytes]", _Bounded(stream, path)), file
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


class _Bounded:
    """A stream of unpacked bytes that ends with an error where there are more than the file may hold."""

    def __init__(self, stream: Any, path: Path) -> None:
        self._stream, self._path = stream, path
        self._left = most_unpacked(file_bytes(path))

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` further bytes, all for -1. Raises ``FormatError``."""
        content: bytes = self._stream.read(self._left + 1 if size < 0 else size)
        self._left -= len(content)
        if self._left < 0:
            raise FormatError(describe_bomb(file_bytes(self._path)), self._path)
        return content


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
    """Yield the decompressed text in blocks of whole lines, uint8 [at most twice ``block_bytes``].

    Every block ends with a line feed, also where the file does not. Raises ``FormatError`` and, between blocks,
    ``OpenCancelled``.
    """
    import numpy as np

    total, rest = max(file_bytes(path), 1), b""
    with open_stream(path) as (stream, file):
        while block := stream.read(block_bytes):
            text = rest + block
            whole = text.rfind(b"\n") + 1
            if whole:
                yield np.frombuffer(text, np.uint8, whole)
            rest = text[whole:]
            if len(rest) >= block_bytes:
                raise FormatError(f"a line is longer than {block_bytes:,} bytes: this is not a network in text", path)
            opening.report(file.tell() / total)
    if rest:
        yield np.frombuffer(rest + b"\n", np.uint8)


def xml_blocks(path: Path, opening: Opening, untagged: FormatError) -> Iterator[bytes]:
    """Yield the decompressed XML of a file in blocks. Raises ``FormatError`` and ``OpenCancelled``.

    Expat keeps a tag until it ends, so a block without any is refused by the error ``untagged``.
    """
    with open_stream(path) as (stream, file):
        while block := stream.read(BLOCK_BYTES):
            if len(block) == BLOCK_BYTES and b"<" not in block:
                raise untagged
            yield block
            opening.report(file.tell() / max(file_bytes(path), 1))


ProgressCallback = Callable[[str, float], None]
"""Called with the name of the stage and the fraction of the whole that is done, 0 … 1, never falling."""


class Opening:
    """Progress and cancellation of one opening, shared by all its stages.

    Each stage is entered with its share of the whole, and reports its own fraction. ``force`` goes on even if memory
    seems too short; ``cancel`` is for what cannot tell how far it is.
    """

    def __init__(
        self, progress: ProgressCallback | None = None, cancel: Event | None = None, *, force: bool = False
    ) -> None:
        self._force = force
        self._progress = progress
        self.cancel: Event | None = cancel
        self._stage = ""
        self._start = 0.0
        self._share = 0.0

    def enter(self, stage: str, share: float) -> None:
        """Begin a stage that is ``share`` (0 … 1) of the whole. Raises ``OpenCancelled``."""
        self._start += self._share
        self._stage, self._share = stage, share
        self.report(0.0)

    def finish(self) -> None:
        """Report that everything is done. Raises ``OpenCancelled``."""
        self._start, self._share = 1.0, 0.0
        self.report(0.0)

    def report(self, fraction: float) -> None:
        """Report that ``fraction`` (0 … 1) of the stage is done. Raises ``OpenCancelled``."""
        if self.cancel is not None and self.cancel.is_set():
            raise OpenCancelled("opening was cancelled")
        if self._progress is not None:
            self._progress(self._stage, min(self._start + self._share * fraction, 1.0))

    def require_memory(self, needed_bytes: int, path: Path) -> None:
        """Raise ``MemoryShortError`` where a file needs more memory than is free, unless it is opened all the same."""
        if not self._force:
            require_memory(needed_bytes, path, can_be_forced=True)


ROWS = 1 << 16
"""Lines that are written at once."""

_OPENERS: dict[str, Callable[..., Any]] = {suffix: opener for _, suffix, _, opener in COMPRESSIONS}


@contextmanager
def write_compressed(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that appears whole or not at all, compressed as its suffix says. Raises ``WriteError``."""
    opener = _OPENERS.get(path.suffix.lower())
    with write_whole(path) as plain:
        if opener is None:
            yield plain
        else:
            with opener(plain, "wb") as packed:
                yield packed


def origin_lines(network: RoadNetwork) -> list[str]:
    """Return comment lines of plain text: the network's name, its attribution and data date."""
    lines = [f"{network.name}, saved by wayfront"]
    lines += [f"{network.attribution} {network.data_date}".strip()] if network.attribution else []
    return [printable(" ".join(line.split())) for line in lines]
