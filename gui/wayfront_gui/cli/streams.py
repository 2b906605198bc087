"""What the program writes to: standard output and error that take every character and never end it.

A character that the stream's encoding lacks is written in plainer ones, ``<=`` for ``≤``, or as the escape that Python
writes. A reader that has gone, as in ``wayfront list | head -1``, is not written to any more. What else cannot be
written, on a full disk say, is told once at the end: the work that was printed is not lost for it.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast

_PLAINER = str.maketrans(
    {
        "…": "...", "–": "-", "—": "-", "−": "-", "×": "x", "·": "*", "•": "*", "’": "'", "“": '"', "”": '"', "′": "'",
        "≤": "<=", "≥": ">=", "→": "->", "÷": "/", "°": " degrees", "∞": "infinity", "√": "sqrt", "∅": "{}", "∪": "+",
        "Δ": "Delta", "θ": "theta", "µ": "u", "²": "^2", "³": "^3", "⁰": "^0", "¹": "^1", "⁷": "^7", "⌊": "floor(",
        "⌋": ")", "©": "(c)", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "━": "-", "╸": "-", "╺": "-",
    }
)  # fmt: skip


def encodable(text: str, encoding: str) -> str:
    """Return a text with every character that ``encoding`` lacks written in plainer ones."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_plainer(character, encoding) for character in text)
    return text


def _plainer(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return character.translate(_PLAINER).encode(encoding, "backslashreplace").decode(encoding)
    return character


class PlainStream(io.TextIOBase):
    """A text stream over another one; ``failure`` is why that takes no more, or None."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream below."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Write a text, or drop it where nothing can be written any more."""
        if self._stream is not None and self.failure is None:
            try:
                self._stream.write(encodable(text, self.encoding))
            except OSError as problem:
                self.failure = problem
        return len(text)

    def write_bytes(self, content: bytes) -> None:
        """Write bytes as they are, behind the texts so far, or drop them where nothing can be written any more."""
        self.flush()
        if self._stream is not None and self.failure is None:
            try:
                self._stream.buffer.write(content)
            except OSError as problem:
                self.failure = problem

    def flush(self) -> None:
        """Write what is held back."""
        if self._stream is not None and self.failure is None:
            try:
                self._stream.flush()
            except OSError as problem:
                self.failure = problem

    def detach_quietly(self) -> None:
        """Drop whatever is written from now on: a library may keep this stream for longer than it lasts."""
        self._stream = None

    def isatty(self) -> bool:
        """Return whether a person reads along."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream below. Raises ``OSError`` where there is none."""
        if self._stream is None:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True

    @property
    def reader_gone(self) -> bool:
        """Whether what read this output has ended."""
        return self.failure is not None and self.failure.errno in (errno.EPIPE, errno.EINVAL)


@contextmanager
def plain_streams() -> Iterator[tuple[PlainStream, PlainStream]]:
    """Let standard output and error be plain streams while the block lasts."""
    before = sys.stdout, sys.stderr
    out, err = PlainStream(before[0]), PlainStream(before[1])
    sys.stdout, sys.stderr = cast("Any", out), cast("Any", err)
    try:
        yield out, err
    finally:
        for stream, original in zip((out, err), before, strict=True):
            stream.flush()
            if stream.failure is not None and original is not None:
                _silence(original)
            stream.detach_quietly()
        sys.stdout, sys.stderr = before


def _silence(stream: TextIO) -> None:
    """Let a stream that cannot be written drop what it holds back, which the interpreter would complain about."""
    with suppress(OSError), Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())
        stream.flush()
