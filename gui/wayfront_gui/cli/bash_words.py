"""What bash needs beside other shells to complete names with ``:`` and ``=``, such as ``near-far:delta=auto``.

Bash ends words at these characters. It hands the pieces over as words of their own, and replaces no more than the last
piece by what it is offered. Its pieces are put together here before the line is read, and what is offered is cut.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

_ASKS, _WORDS, _CURRENT = "_WAYFRONT_COMPLETE", "COMP_WORDS", "COMP_CWORD"
_JOINTS = (":", "=")


@contextmanager
def whole_words() -> Iterator[None]:
    """Let what is run read whole words, and cut what it offers, where it is bash that asks."""
    if os.environ.get(_ASKS) != "complete_bash":
        yield
        return
    pieces, current = os.environ.get(_WORDS, "").split("\n"), os.environ.get(_CURRENT, "")
    words = _joined(pieces[: int(current) + 1] if current.isdecimal() else pieces)
    os.environ[_WORDS], os.environ[_CURRENT] = "\n".join(words), str(len(words) - 1)
    offered = io.StringIO()
    try:
        with redirect_stdout(offered):
            yield
    finally:
        kept = words[-1][: 1 + max(words[-1].rfind(joint) for joint in _JOINTS)]
        cut = (line.removeprefix(kept).replace(" ", "\\ ") for line in offered.getvalue().splitlines())
        sys.stdout.write("".join(f"{line}\n" for line in cut))


def _joined(pieces: list[str]) -> list[str]:
    """Return words of pieces, of which ``:`` and ``=`` stand between two; an empty one is a new word."""
    words: list[str] = []
    for number, piece in enumerate(pieces):
        if number and piece and (piece in _JOINTS or pieces[number - 1] in _JOINTS):
            words[-1] += piece
        else:
            words.append(piece)
    return words
