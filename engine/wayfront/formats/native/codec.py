"""Read and write ``.wayfront`` files: every array exactly, and small enough to be bundled.

Each array is written as differences that are small where a network is orderly: offsets as out-degrees, targets
against the node they leave, ids and coordinates against the node before. Differences become unsigned
numbers by zigzag (0, −1, 1, −2 … are 0, 1, 2, 3 …), cut to the bytes the largest needs, and laid out byte plane by byte
plane, which LZMA then packs far better than the arrays themselves.

    "WAYFRONT", version (uint32), size of the header (uint32), checksum of the header (uint32)
    header (JSON): the network's description; type, shape and bytes per number of every array
    the byte planes of all arrays, one after the other, as one xz stream

A file may come from anybody. What it announces is checked against the schema, against its own size and against the
free memory before a byte is unpacked, and arrays are decoded block by block into their final type: reading takes
little more than the network and the byte planes of its largest array.
"""

from __future__ import annotations

import lzma
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.archive import (
    NetworkHeader,
    header_of,
    put_together,
    read_header,
    read_start,
    start_of,
    take_apart,
)
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import ARRAY_FIELDS, NAME_BYTES, NODE_NAME_BYTES, NODES
from wayfront.safe.errors import FormatError, MemoryShortError, NetworkError, SchemaError
from wayfront.safe.files import open_regular, why_unread, write_whole
from wayfront.safe.memory import require_memory
from wayfront.safe.schema import HeaderField, Layout, announced_bytes, check_values

_VERSION = 1
_SMOOTH = frozenset(field.name for field in ARRAY_FIELDS if field.smooth)
_OFFSETS_FIELDS = tuple(field for field in ARRAY_FIELDS if field.rises_to)
_ENTRIES = (HeaderField("width", (int,), lowest=0, highest=8),)

_ALWAYS_BYTES = 128 << 20
_LARGEST_RATIO = 200
"""A file may unpack to 128 MiB, and beyond that to 200 times its size: more is a bomb, not a network."""
_DICTIONARY_BYTES = 96 << 20
"""What unpacking itself may take: the strongest preset of xz takes 65 MiB, a forged stream asks for 4 GiB."""
_NAME_OVERHEAD = 32
"""Bytes that a byte of names may become: a list of short texts is mostly Python's overhead."""
_CHECK_BYTES_PER_NODE = 24
"""What checking the ids takes."""
_SLICE_BYTES = 1 << 20
_BLOCK = 1 << 17
"""Numbers decoded at once."""


def save_network(network: RoadNetwork, path: str | Path) -> None:
    """Write a network to one compact file, usually called ``….wayfront``.

    The file appears whole or not at all. Raises ``WriteError``, and ``NetworkError`` for a network that could not be
    read again: one with a description that no file may have, or one so regular that its packed form would look like
    a decompression bomb.
    """
    description, arrays = take_apart(network)
    description["origin"] = ""  # the reader sets this file; the writer's may be a private folder
    packer = lzma.LZMACompressor()
    entries, packed = [], []
    for name, array in arrays.items():
        planes = _planes(_differences(name, array, network.offsets))
        entries.append({"width": len(planes)})
        packed.append(packer.compress(planes.tobytes()))
    packed.append(packer.flush())
    header = header_of(description, arrays, entries)
    try:
        announced = read_header(header, _ENTRIES)
    except (SchemaError, NetworkError) as error:
        raise NetworkError(f"{network.name} cannot be stored: {error}") from None
    if not _is_plausible(announced, sum(map(len, packed))):
        raise NetworkError(f"{network.name} packs too well to be stored: its file would be taken for a bomb")
    with write_whole(path) as file:
        file.writelines([start_of(MAGIC, _VERSION, header), *packed])


def read_native(path: str | Path) -> RoadNetwork:
    """Return the network that ``save_network`` wrote.

    Raises ``FormatError`` for other and damaged files, and ``MemoryShortError``.
    """
    path = Path(path)
    try:
        with open_regular(path) as file:
            header = read_header(read_start(file, MAGIC, _VERSION, path), _ENTRIES)
            _require_room(header, os.fstat(file.fileno()).st_size - file.tell(), path)
            arrays = _unpack(header, file)
        network = put_together(header.description, arrays, trusted=False, origin=str(path.absolute()))
    except OSError as error:
        raise FormatError(why_unread(error), path) from None
    except MemoryShortError:
        raise
    except (SchemaError, NetworkError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"the file is damaged ({error}): get it again", path) from None
    except MemoryError:
        raise FormatError("reading it takes more memory than there is: close other programs", path) from None
    if network.content_key != header.description["content_key"]:
        raise FormatError("the file is damaged (its arrays are not those that were saved): get it again", path)
    return network


# ------------------------------------------------------------------------------------------------- reading


def _unpacked(header: NetworkHeader) -> Iterator[tuple[str, Layout, int]]:
    """Yield name, layout and width of each array, in the order in which the stream holds them."""
    for entry in header.table:
        yield entry["name"], header.layouts[entry["name"]], entry["width"]


def _name_bytes(header: NetworkHeader) -> int:
    """Return how many bytes of names of roads and nodes a file announces."""
    return header.sizes.get(NAME_BYTES, 0) + header.sizes.get(NODE_NAME_BYTES, 0)


def _is_plausible(header: NetworkHeader, packed_bytes: int) -> bool:
    """Return whether what a file announces, packed and unpacked, is in proportion to its size."""
    streamed = sum(width * layout.value_count for _, layout, width in _unpacked(header))
    held = announced_bytes(header.layouts) + _NAME_OVERHEAD * _name_bytes(header)
    return max(streamed, held) <= max(_ALWAYS_BYTES, _LARGEST_RATIO * packed_bytes)


def _require_room(header: NetworkHeader, packed_bytes: int, path: Path) -> None:
    """Raise ``SchemaError`` for a bomb, and ``MemoryShortError`` for a network that does not fit the free memory."""
    if not _is_plausible(header, packed_bytes):
        raise SchemaError("it announces more than it can hold")
    require_memory(_needed_bytes(header), path)


def _needed_bytes(header: NetworkHeader) -> int:
    """Return about the most memory that reading takes at one moment, in bytes."""
    planes = max((width * layout.value_count for _, layout, width in _unpacked(header)), default=0)
    checking = _CHECK_BYTES_PER_NODE * header.sizes[NODES] + _NAME_OVERHEAD * _name_bytes(header)
    return announced_bytes(header.layouts) + max(planes, checking) + _DICTIONARY_BYTES


def _unpack(header: NetworkHeader, file: IO[bytes]) -> dict[str, NDArray[Any]]:
    """Return the arrays. Raises ``SchemaError``, ``LZMAError`` and ``EOFError``."""
    unpacker = _Unpacker(file)
    arrays: dict[str, NDArray[Any]] = {}
    for name, layout, width in _unpacked(header):
        if name == "targets" and "offsets" not in arrays:
            raise SchemaError("targets stand before the offsets they are counted from")
        planes = unpacker.take(width * layout.value_count).reshape(width, layout.value_count)
        arrays[name] = _decode(name, planes, layout, arrays.get("offsets"))
        del planes
        # At once: what follows may be counted from offsets, and would fill the memory if they were forged.
        check_values(arrays, (field for field in _OFFSETS_FIELDS if field.name == name), header.sizes)
    unpacker.finish()
    return arrays


class _Unpacker:
    """Unpack an xz stream by exact numbers of bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_DICTIONARY_BYTES)

    def take(self, count: int) -> NDArray[np.uint8]:
        """Return the next bytes, uint8 [count]. Raises ``LZMAError``, and ``EOFError`` where there are fewer."""
        taken = np.empty(count, np.uint8)
        done = 0
        while done < count:
            piece = self._piece(min(count - done, _SLICE_BYTES))
            if not piece:
                raise EOFError("it is cut off")
            taken[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
            done += len(piece)
        return taken

    def finish(self) -> None:
        """Check that stream and file end here, whole. Raises ``EOFError``, ``SchemaError`` and ``LZMAError``."""
        if self._piece(1) or self._stream.unused_data or self._file.read(1):
            raise SchemaError("it holds more than it announces")
        if not self._stream.eof:
            raise EOFError("it is cut off")

    def _piece(self, most: int) -> bytes:
        """Return at least one further byte, none at the end of the stream or of the file."""
        while not self._stream.eof:
            packed = self._file.read(_SLICE_BYTES) if self._stream.needs_input else b""
            if self._stream.needs_input and not packed:
                break
            if piece := self._stream.decompress(packed, most):
                return piece
        return b""


# --------------------------------------------------------------------------------------------- differences


def _differences(name: str, array: NDArray[Any], offsets: NDArray[Any]) -> NDArray[np.int64]:
    """Return the array as differences, int64 of the same shape; they may wrap round, which ``_decode`` undoes."""
    values = array.astype(np.int64)
    if name == "targets":
        return values - np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    if name in _SMOOTH:
        values[1:] -= values[:-1].copy()
    return values


def _planes(differences: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the differences in zigzag as byte planes, uint8 [bytes per number, count], the lowest byte first."""
    flat = differences.reshape(-1)
    zigzag = ((flat << 1) ^ (flat >> 63)).view(np.uint64)
    width = (int(zigzag.max(initial=0)).bit_length() + 7) // 8
    return np.ascontiguousarray(zigzag.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width].T)


def _decode(name: str, planes: NDArray[np.uint8], layout: Layout, offsets: NDArray[Any] | None) -> NDArray[Any]:
    """Return the array that ``_differences`` and ``_planes`` wrote, block by block."""
    array = np.zeros(layout.shape, layout.dtype)
    rows, columns = array.reshape(-1, *layout.shape[1:]), layout.value_count // max(len(array), 1)
    before: Any = 0
    for begin in range(0, len(rows), _BLOCK):
        end = min(begin + _BLOCK, len(rows))
        values = _differences_of(planes[:, begin * columns : end * columns]).reshape(rows[begin:end].shape)
        if name == "targets":
            assert offsets is not None
            values += _tails(offsets, begin, end)
        elif name in _SMOOTH:
            values[0] += before
            np.cumsum(values, axis=0, out=values)
            before = values[-1]
        rows[begin:end] = values
    return array


def _differences_of(planes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the differences that byte planes hold, int64 [count]."""
    zigzag = np.zeros((planes.shape[1], 8), np.uint8)
    zigzag[:, : len(planes)] = planes.T
    values = zigzag.view("<u8").reshape(-1).astype(np.uint64)
    return (values >> np.uint64(1)).view(np.int64) ^ -(values & np.uint64(1)).view(np.int64)


def _tails(offsets: NDArray[Any], begin: int, end: int) -> NDArray[np.int64]:
    """Return the tail of each of the arcs begin … end − 1, of which there is at least one."""
    first = int(np.searchsorted(offsets, begin, side="right")) - 1
    last = int(np.searchsorted(offsets, end, side="left"))
    bounds = np.clip(offsets[first : last + 1].astype(np.int64), begin, end)
    return np.repeat(np.arange(first, last, dtype=np.int64), bounds[1:] - bounds[:-1])


MAGIC = b"WAYFRONT"
