"""Write films as MP4 (H.264), WebM (VP9) or GIF, and forecast how large a file becomes.

PyAV is an extra of the package. What is filmed is any ``Film``: a replay, or a race of several.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from threading import Event
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from wayfront.safe.errors import (
    MissingPackageError,
    OpenCancelled,
    OptionError,
    WayfrontError,
    WriteError,
)
from wayfront.safe.files import why_unwritten, write_whole
from wayfront_gui.session.formatting import about, memory_size
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    Progress = Callable[[str, float], None]
    from av import VideoFrame
    from av.container import OutputContainer


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
        raise MissingPackageError(
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
        noting: Any = _NotingFile(file)
        with _encoding(path, noting):
            encoder = _encoder_for(film, Path(path).suffix.lower())(noting, repeats)
            _encode(film, encoder, noting, progress or _silent, cancel or Event())
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


class _NotingFile:
    """A file that FFmpeg writes into: it says that a write failed, and this knows why."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, data: bytes) -> int:
        with self._noting():
            return self._file.write(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        with self._noting():  # writes what was kept back
            return self._file.seek(offset, whence)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            self.failure = self.failure or problem
            raise


@contextmanager
def _encoding(path: str | Path, file: _NotingFile | None = None) -> Iterator[None]:
    """Turn what FFmpeg refuses into ``WriteError``."""
    import av

    try:
        yield
    except WayfrontError:
        raise
    except (av.error.FFmpegError, OSError) as problem:
        failure = None if file is None else file.failure
        raise WriteError(path, why_unwritten(failure or problem)) from problem


KEY_FRAME_S = 4
"""Seconds between two pictures that are stored whole: how far apart the places are to which a player can jump."""
BGRA = "bgra"
"""The order of a ``QImage``'s bytes."""
_BT709 = 1
"""The number of the colours of high-definition television, for matrix, primaries and transfer alike."""
_INDEX_BYTES = 64
"""At most so many bytes of an MP4's index belong to each frame."""
_PALETTE_SAMPLES = 12
_IN_FILTERS = Fraction(1, 1000)
"""The unit of time within filters, where pictures are only counted."""

Pixels = NDArray[np.uint8]


OpenEncoder = Callable[[IO[bytes], bool], "Encoder"]
"""Begins a film in a file; the second argument says whether it repeats for ever, where the format can tell."""


def encoder_for(
    suffix: str, size: tuple[int, int], fps: int, count: int, samples: Callable[[int], Iterable[Pixels]]
) -> OpenEncoder:
    """Return what begins a film of ``count`` pictures in the format of a suffix.

    ``samples(k)`` draws k of them, for the colours of a GIF. Raises ``OptionError`` for a suffix that is no film's.
    """
    if suffix == ".gif":
        palette = _palette(samples(min(_PALETTE_SAMPLES, count)), size)
        return lambda file, repeats: _Gif(file, size, fps, palette, repeats)
    if suffix not in _VIDEOS:
        raise OptionError(
            f"{suffix or 'a file without a suffix'} is no film; films are {', '.join((*_VIDEOS, '.gif'))}"
        )
    return lambda file, _repeats: _Video(file, suffix, size, fps, count)


_VIDEOS: dict[str, tuple[str, dict[str, str]]] = {
    ".mp4": ("libx264", {"crf": "18", "preset": "medium"}),
    ".webm": ("libvpx-vp9", {"crf": "28", "b": "0", "deadline": "good", "cpu-used": "4", "row-mt": "1"}),
}
"""The codec of each format, with its options."""


class Encoder(ABC):
    """Writes pictures of one size, uint8 [height, width, 4] as blue, green, red and one more."""

    def __init__(
        self, output: OutputContainer, codec: str, options: dict[str, str], size: tuple[int, int], fps: int
    ) -> None:
        self._output = output
        stream: Any = output.add_stream(codec, rate=fps, options=options)
        stream.width, stream.height = size
        self._stream = stream
        self._base, self._count = Fraction(1, fps), 0

    def add(self, pixels: Pixels) -> None:
        """Append a picture."""
        self._write(self._turned(_frame_of(pixels)))

    def finish(self) -> None:
        """Write what is still held back, and the end of the file."""
        self._write(self._turned(None))
        self._output.mux(self._stream.encode(None))
        self._output.close()

    def close(self) -> None:
        """Let go of everything; the file is of no use without ``finish``."""
        self._output.close()

    @abstractmethod
    def _turned(self, frame: VideoFrame | None) -> list[VideoFrame]:
        """Return a picture in the colours of the format, or at the end the pictures that were held back."""

    def _write(self, frames: Iterable[VideoFrame]) -> None:
        for frame in frames:
            frame.pts, frame.time_base = self._count, self._base
            self._count += 1
            self._output.mux(self._stream.encode(frame))


class _Video(Encoder):
    """MP4 or WebM, in the colours of high-definition television, which every player shows right."""

    def __init__(self, file: IO[bytes], suffix: str, size: tuple[int, int], fps: int, count: int) -> None:
        import av
        from av.video.reformatter import ColorRange, Colorspace

        # An MP4's index takes room that is kept for it at the beginning: a browser can play what it has so far.
        container = {"moov_size": str(8192 + _INDEX_BYTES * count)} if suffix == ".mp4" else {}
        codec, options = _VIDEOS[suffix]
        super().__init__(av.open(file, "w", format=suffix[1:], options=container), codec, dict(options), size, fps)
        stream = self._stream
        stream.pix_fmt = "yuv420p"
        stream.gop_size = fps * KEY_FRAME_S
        stream.colorspace = stream.color_primaries = stream.color_trc = _BT709
        stream.color_range = ColorRange.MPEG
        self._converted = {
            "format": "yuv420p",
            "dst_colorspace": Colorspace.ITU709,
            "dst_color_range": ColorRange.MPEG,
        }

    def _turned(self, frame: VideoFrame | None) -> list[VideoFrame]:
        return [] if frame is None else [frame.reformat(**self._converted)]


class _Gif(Encoder):
    """256 colours for the whole film, in an ordered pattern that does not flicker from one picture to the next."""

    def __init__(self, file: IO[bytes], size: tuple[int, int], fps: int, palette: VideoFrame, repeats: bool) -> None:
        import av

        self._filters = _Filters(size, "paletteuse", "dither=bayer:bayer_scale=4", palette)
        output = av.open(file, "w", format="gif", options={"loop": "0" if repeats else "-1"})
        super().__init__(output, "gif", {}, size, fps)
        self._stream.pix_fmt = "pal8"

    def _turned(self, frame: VideoFrame | None) -> list[VideoFrame]:
        return self._filters.through(frame)


class _Filters:
    """A filter of FFmpeg that takes pictures, and first one ``beside`` them if it needs that."""

    def __init__(self, size: tuple[int, int], name: str, options: str, beside: VideoFrame | None = None) -> None:
        from av import VideoFormat
        from av.filter import Graph

        self._graph = Graph()
        self._input = self._graph.add_buffer(
            width=size[0], height=size[1], format=VideoFormat(BGRA), time_base=_IN_FILTERS
        )
        chosen, self._output = self._graph.add(name, options), self._graph.add("buffersink")
        self._input.link_to(chosen, 0, 0)
        other = None
        if beside is not None:
            other = self._graph.add_buffer(
                width=beside.width, height=beside.height, format=beside.format, time_base=_IN_FILTERS
            )
            other.link_to(chosen, 0, 1)
        chosen.link_to(self._output)
        self._graph.configure()
        self._count = 0
        if other is not None and beside is not None:
            beside.pts, beside.time_base = 0, _IN_FILTERS
            other.push(beside)
            other.push(None)

    def through(self, frame: VideoFrame | None) -> list[VideoFrame]:
        """Put a picture in, or the end; return what comes out."""
        import av

        if frame is not None:
            frame.pts, frame.time_base = self._count, _IN_FILTERS
            self._count += 1
        self._input.push(frame)
        out: list[VideoFrame] = []
        while True:
            try:
                out.append(self._output.pull())
            except (av.error.BlockingIOError, av.error.EOFError):  # nothing more for the moment, or for ever
                return out


def _palette(samples: Iterable[Pixels], size: tuple[int, int]) -> VideoFrame:
    """Return the 256 colours in which the samples look best, as an image of 16 × 16 pixels."""
    filters = _Filters(size, "palettegen", "stats_mode=full")
    for pixels in samples:
        filters.through(_frame_of(pixels))
    return filters.through(None)[0]


def _frame_of(pixels: Pixels) -> VideoFrame:
    from av import VideoFrame

    return VideoFrame.from_ndarray(pixels, format=BGRA)
