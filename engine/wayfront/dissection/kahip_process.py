"""Run KaHIP in another process, since it holds Python's interpreter lock as long as it cuts.

A process serves one thread, which waits for its answers without the lock: several cut at a time, and a window stays
responsive. It is a plain command, not ``multiprocessing``, whose processes would import a caller's script again on
Windows and macOS. It ends with its input, also where this program is killed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from wayfront.dissection.kahip_cut import read_array, send
from wayfront.dissection.pieces import Labels, Pieces
from wayfront.errors import NetworkError

_SERVE = "import sys; sys.path.append(sys.argv[1]); from wayfront.dissection.kahip_cut import main; main()"
"""Isolated, so that no module comes from the current folder; this very package comes last on the path."""


class KahipError(NetworkError):
    """KaHIP's process cannot be started, or ended before it answered."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"KaHIP has failed ({reason}): cut by coordinates instead")


class KahipProcess:
    """A process that cuts pieces; ``kill`` may be called from any thread, all else from one. Raises ``KahipError``."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-c", _SERVE, str(Path(__file__).resolve().parents[2])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # Windows would show a terminal
            )
        except OSError as error:
            self._errors.close()
            raise KahipError(error.strerror or str(error)) from None

    def cut(self, pieces: Pieces) -> Labels:
        """Return the side of every node. Raises ``KahipError`` where the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, pieces.offsets, pieces.starts, pieces.targets)
            return read_array(self._process.stdout, len(pieces.nodes), np.int8)
        except (OSError, EOFError, ValueError):
            raise KahipError(self._last_words()) from None

    def kill(self) -> None:
        """End the process at once; a cut that waits for it fails."""
        self._process.kill()

    def close(self) -> None:
        """End the process and wait for it."""
        with suppress(OSError), self._process:
            self._process.kill()
        self._errors.close()

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {code}"
