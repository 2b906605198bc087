"""The formats of films, by FFmpeg through PyAV: what takes pictures in turn and writes them into a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import OptionError

if TYPE_CHECKING:
    from av import VideoFrame

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


class Encoder(Protocol):
    """Writes pictures of one size, uint8 [height, width, 4] as blue, green, red and one more."""

    def add(self, pixels: Pixels) -> None:
        """Append a picture."""

    def finish(self) -> None:
        """Write what is still held back, and the end of the file."""

    def close(self) -> None:
        """Let go of everything; the file is of no use without ``finish``."""


OpenEncoder = Callable[[IO[bytes], bool], Encoder]
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


def _x264(_fps: int, count: int) -> tuple[str, Mapping[str, str], Mapping[str, str]]:
    # The index takes room that is kept for it at the beginning, so that a browser can play what it has so far.
    container = {"moov_size": str(8192 + _INDEX_BYTES * count)}
    return "libx264", {"crf": "18", "preset": "medium"}, container


def _vp9(_fps: int, _count: int) -> tuple[str, Mapping[str, str], Mapping[str, str]]:
    return "libvpx-vp9", {"crf": "28", "b": "0", "deadline": "good", "cpu-used": "4", "row-mt": "1"}, {}


_VIDEOS = {".mp4": _x264, ".webm": _vp9}


class _Video:
    """MP4 or WebM, in the colours of high-definition television, which every player shows right."""

    def __init__(self, file: IO[bytes], suffix: str, size: tuple[int, int], fps: int, count: int) -> None:
        import av
        from av.video.reformatter import ColorRange, Colorspace

        codec, options, container = _VIDEOS[suffix](fps, count)
        self._output = av.open(file, "w", format=suffix[1:], options=dict(container))
        stream: Any = self._output.add_stream(codec, rate=fps, options=dict(options))
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.gop_size = fps * KEY_FRAME_S
        stream.colorspace = stream.color_primaries = stream.color_trc = _BT709
        stream.color_range = ColorRange.MPEG
        self._stream = stream
        self._converted = {
            "format": "yuv420p",
            "dst_colorspace": Colorspace.ITU709,
            "dst_color_range": ColorRange.MPEG,
        }
        self._base, self._count = Fraction(1, fps), 0

    def add(self, pixels: Pixels) -> None:
        frame = _frame_of(pixels).reformat(**self._converted)
        frame.pts, frame.time_base = self._count, self._base
        self._count += 1
        self._output.mux(self._stream.encode(frame))

    def finish(self) -> None:
        self._output.mux(self._stream.encode(None))
        self._output.close()

    def close(self) -> None:
        self._output.close()


class _Gif:
    """256 colours for the whole film, in an ordered pattern that does not flicker from one picture to the next."""

    def __init__(self, file: IO[bytes], size: tuple[int, int], fps: int, palette: VideoFrame, repeats: bool) -> None:
        import av

        self._filters = _Filters(size, "paletteuse", "dither=bayer:bayer_scale=4", palette)
        self._output = av.open(file, "w", format="gif", options={"loop": "0" if repeats else "-1"})
        self._stream: Any = self._output.add_stream("gif", rate=fps)
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "pal8"
        self._base, self._count = Fraction(1, fps), 0

    def add(self, pixels: Pixels) -> None:
        self._write(self._filters.through(_frame_of(pixels)))

    def finish(self) -> None:
        self._write(self._filters.through(None))
        self._output.mux(self._stream.encode(None))
        self._output.close()

    def close(self) -> None:
        self._output.close()

    def _write(self, frames: Iterable[VideoFrame]) -> None:
        for frame in frames:
            frame.pts, frame.time_base = self._count, self._base
            self._count += 1
            self._output.mux(self._stream.encode(frame))


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
