"""Write films as MP4 (H.264), WebM (VP9) or GIF, and forecast how large a file becomes.

PyAV is an extra of the package. What is filmed is any ``Film``: a replay, or a race of several.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from threading import Event
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from wayfront.errors import OpenCancelled, OptionError, WriteError
from wayfront.files import write_whole
from wayfront_gui.export.film_encoders import KEY_FRAME_S, Encoder, OpenEncoder, encoder_for
from wayfront_gui.model.formatting import about, memory_size
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    Progress = Callable[[str, float], None]

MOST_FRAMES = 36_000
"""Ten minutes of sixty frames a second: who asks for more has mistyped."""
_BURSTS = {".mp4": (4, 8), ".gif": (8, 3)}
"""At how many places a film is tried to forecast its size, and how many frames each time."""
_OF_BURSTS = {".mp4": 0.5, ".gif": 1.0}
"""The share of such a forecast that films really have: H.264 saves more once it sees a second ahead. Measured."""
_WEBM_SHARE = 0.9
"""About how large WebM files are beside MP4 files; VP9 is too slow to be tried."""


class Film(Protocol):
    """Pictures that follow one another.

    ``size`` is width and height in physical pixels, both even. ``draw`` is called on any thread, mostly in order.
    """

    @property
    def size(self) -> tuple[int, int]: ...  # noqa: D102 - see the class

    @property
    def fps(self) -> int: ...  # noqa: D102 - see the class

    @property
    def frame_count(self) -> int: ...  # noqa: D102 - see the class

    def draw(self, index: int) -> QImage:
        """Return one frame, as an image of 32 bits a pixel."""


def require_film_support(path: str | Path) -> None:
    """Check that films can be written here. Raises ``OptionError`` where PyAV is missing."""
    try:
        import av  # noqa: F401
    except ImportError:
        raise OptionError(
            f'{path}: films need the package PyAV: pip install "wayfront[film]", or write a picture'
        ) from None


def write_film(
    film: Film, path: str | Path, *, repeats: bool = True, progress: Progress | None = None, cancel: Event | None = None
) -> int:
    """Write a film in the format of the path's suffix, whole or not at all; return its size in bytes.

    ``repeats`` lets a GIF begin again at its end; the other formats leave that to the player. Raises ``OptionError``
    for another suffix or without PyAV, ``OpenCancelled`` once ``cancel`` is set, and ``WriteError``.
    """
    require_film_support(path)
    with write_whole(path) as file:
        if not file.seekable():
            raise WriteError(path, "a film cannot be written into a pipe")
        with _encoding(path):
            encoder = _encoder_for(film, Path(path).suffix.lower())(file, repeats)
            _encode(film, encoder, file, progress or _silent, cancel or Event())
        file.seek(0, 2)
        return file.tell()


def film_bytes(film: Film, suffix: str) -> bytes:
    """Return a film as the bytes of a file of that suffix; a GIF repeats for ever. Raises as ``write_film`` does."""
    name, file = f"film{suffix}", BytesIO()
    require_film_support(name)
    with _encoding(name):
        _encode(film, _encoder_for(film, suffix)(file, True), file, _silent, Event())
    return file.getvalue()


def estimate_bytes(film: Film, suffix: str) -> int:
    """Forecast a film's size from some frames here and there, as a number of bytes. Raises as ``write_film`` does."""
    require_film_support(f"film{suffix}")
    if suffix == ".webm":
        return round(_WEBM_SHARE * estimate_bytes(film, ".mp4"))
    count, begin_film = film.frame_count, _encoder_for(film, suffix)
    bursts, length = _BURSTS[suffix]
    length = min(length, count)
    begins = [min(int(count * (burst + 0.5) / bursts), count - length) for burst in range(bursts)]
    first, other = np.mean([_burst_sizes(film, begin_film, range(at, at + length)) for at in begins], axis=0)
    keys = 1 if suffix == ".gif" else math.ceil(count / (film.fps * KEY_FRAME_S))
    return round(_OF_BURSTS[suffix] * (keys * first + (count - keys) * other))


def pixels_of(image: QImage) -> NDArray[np.uint8]:
    """Return the pixels of an image of 32 bits a pixel as blue, green, red and one more, uint8 [height, width, 4].

    They are a copy: the image's own memory goes with the image.
    """
    width, height = image.width(), image.height()
    return np.frombuffer(image.constBits(), np.uint8).reshape(height, width, 4).copy()


def _encoder_for(film: Film, suffix: str) -> OpenEncoder:
    def samples(count: int) -> Iterator[NDArray[np.uint8]]:
        for index in np.linspace(0, film.frame_count - 1, count).round().astype(int).tolist():
            yield pixels_of(film.draw(index))

    return encoder_for(suffix, film.size, film.fps, film.frame_count, samples)


def _burst_sizes(film: Film, begin_film: OpenEncoder, frames: range) -> tuple[float, float]:
    """Return the bytes of a film of the first frame alone, and those of each further one."""
    lone, whole = BytesIO(), BytesIO()
    pictures = [film.draw(index) for index in frames]
    for file, some in ((lone, pictures[:1]), (whole, pictures)):
        encoder = begin_film(file, False)
        for picture in some:
            encoder.add(pixels_of(picture))
        encoder.finish()
    first, every = (len(file.getvalue()) for file in (lone, whole))
    return first, max(every - first, 0) / max(len(frames) - 1, 1)


def _encode(film: Film, encoder: Encoder, file: IO[bytes], progress: Progress, cancel: Event) -> None:
    began, count = time.monotonic(), film.frame_count
    try:
        for index in range(count):
            if cancel.is_set():
                raise OpenCancelled("the film was not written: it was cancelled")
            encoder.add(pixels_of(film.draw(index)))
            progress(_stage(index + 1, count, file.tell(), time.monotonic() - began), (index + 1) / count)
        encoder.finish()
    finally:
        encoder.close()


def _stage(done: int, count: int, written: int, elapsed_s: float) -> str:
    """Return how far a film is: ``frame 120 of 300, about 8 MB in all, 12 s left``."""
    parts = [translated("frame {done:,} of {count:,}", done=done, count=count)]
    if done >= count // 4 and written > 1 << 16:
        parts.append(translated("about {size} in all", size=memory_size(round(written * count / done))))
    if elapsed_s > 1:
        parts.append(translated("{time} left", time=about(elapsed_s / done * (count - done))))
    return ", ".join(parts)


def _silent(_stage: str, _fraction: float) -> None:
    pass


class _encoding:  # noqa: N801 - used as a statement
    """Turns what FFmpeg refuses into ``WriteError``."""

    def __init__(self, path: str | Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: Any, problem: BaseException | None, _trace: Any) -> None:
        import av

        if isinstance(problem, av.error.FFmpegError):
            raise WriteError(self._path, problem.strerror or str(problem)) from problem
