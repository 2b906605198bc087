"""Read and write ``.wayfront`` files: every array exactly, and small enough to be bundled.

Each array is written as differences that are small where a network is orderly: offsets as out-degrees, targets
against the node they leave, ids and coordinates against the node before. Differences are folded to unsigned
numbers (0, −1, 1, −2 … become 0, 1, 2, 3 …), cut to the bytes the largest needs, and laid out byte plane by byte
plane, which LZMA then packs far better than the arrays themselves.

    "WAYFRONT", version (uint32), size of the header (uint32), checksum of the header (uint32)
    header (JSON): the network's description; type, shape and bytes per number of every array
    the byte planes of all arrays, one after the other, as one xz stream
"""

from __future__ import annotations

import json
import lzma
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import FormatError, NetworkError
from wayfront.files import write_whole
from wayfront.formats.native.magic import MAGIC
from wayfront.network.archive import put_together, take_apart
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import ARRAY_FIELDS, WEIGHTS_DTYPES

_VERSION = 1
_START = struct.Struct("<8sIII")
_DTYPES = {np.dtype(t).str: np.dtype(t) for t in (*WEIGHTS_DTYPES, *(t for f in ARRAY_FIELDS for t in f.dtypes))}
_SMOOTH = frozenset(field.name for field in ARRAY_FIELDS if field.smooth)

_ALWAYS_BYTES = 256 << 20
_LARGEST_RATIO = 200
"""A file may unpack to 256 MiB, and beyond that to 200 times its size: more is a bomb, not a network."""


def save_network(network: RoadNetwork, path: str | Path) -> None:
    """Write a network to one compact file, usually called ``….wayfront``.

    The file appears whole or not at all. Raises ``WriteError``, and ``NetworkError`` for a network so regular that
    its packed form would look like a decompression bomb.
    """
    description, arrays = take_apart(network)
    description["origin"] = ""  # the reader sets this file; the writer's may be a private folder
    packer = lzma.LZMACompressor()
    table, packed = [], []
    for name, array in arrays.items():
        planes = _planes(_differences(name, array, network.offsets))
        table.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "width": len(planes)})
        packed.append(packer.compress(planes.tobytes()))
    packed.append(packer.flush())
    if not _is_plausible(sum(array.nbytes for array in arrays.values()), sum(map(len, packed))):
        raise NetworkError(f"{network.name} packs too well to be stored: its file would be taken for a bomb")
    header = json.dumps({"network": description, "arrays": table}).encode()
    start = _START.pack(MAGIC, _VERSION, len(header), zlib.crc32(header))
    with write_whole(path) as file:
        file.writelines([start, header, *packed])


def read_native(path: str | Path) -> RoadNetwork:
    """Return the network that ``save_network`` wrote. Raises ``FormatError`` for other and damaged files."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FormatError(f"the file cannot be read: {error.strerror or error}", path) from None
    table, packed = _header(content, path)
    try:
        arrays = _unpack(table["arrays"], packed)
        network = put_together(table["network"], arrays, trusted=False, origin=str(path.absolute()))
    except (lzma.LZMAError, EOFError, NetworkError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"the file is damaged ({error}): get it again", path) from None
    if network.content_key != table["network"]["content_key"]:
        raise FormatError("the file is damaged (its arrays are not those that were saved): get it again", path)
    return network


# ------------------------------------------------------------------------------------------------- reading


def _header(content: bytes, path: Path) -> tuple[dict[str, Any], memoryview]:
    """Return the header and the packed rest."""
    if not content.startswith(MAGIC):
        raise FormatError("this is not a .wayfront file", path)
    if len(content) < _START.size:
        raise FormatError("the file is cut off: get it again", path)
    _, version, header_bytes, checksum = _START.unpack_from(content)
    if version != _VERSION:
        raise FormatError(f"the file has version {version}, this program reads version {_VERSION}: update it", path)
    header = content[_START.size : _START.size + header_bytes]
    if zlib.crc32(header) != checksum:
        raise FormatError("the file is damaged (its header is not what was saved): get it again", path)
    try:
        table = json.loads(header)
    except ValueError:
        table = None
    if not isinstance(table, dict):
        raise FormatError("the file is damaged (its header is no table): get it again", path)
    return table, memoryview(content)[_START.size + header_bytes :]


def _unpack(table: list[dict[str, Any]], packed: memoryview) -> dict[str, NDArray[Any]]:
    """Return the arrays, having unpacked no more bytes than the table announces and a file may hold."""
    announced = sum(_count(entry["shape"]) * _DTYPES[entry["dtype"]].itemsize for entry in table)
    if not _is_plausible(announced, len(packed)):
        raise ValueError("it announces more than it can hold")
    unpacker = _Unpacker(packed)
    arrays: dict[str, NDArray[Any]] = {}
    for entry in table:
        name, shape, width = entry["name"], entry["shape"], entry["width"]
        if width not in range(9):
            raise ValueError(f"numbers of {width} bytes")
        count = _count(shape)
        differences = _from_planes(unpacker.take(width * count), width, count).reshape(shape)
        arrays[name] = _sums(name, differences, arrays).astype(_DTYPES[entry["dtype"]])
    unpacker.finish()
    return arrays


class _Unpacker:
    """Unpack an xz stream by exact numbers of bytes."""

    def __init__(self, packed: memoryview) -> None:
        self._stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        self._rest: memoryview | bytes = packed

    def take(self, count: int) -> bytes:
        pieces = []
        while count:
            piece = self._stream.decompress(self._rest, count)
            self._rest = b""  # the stream keeps what it has not unpacked yet
            if not piece:
                raise EOFError("it is cut off")
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def finish(self) -> None:
        """Check that the stream ends here, whole. Raises ``EOFError`` and ``ValueError``."""
        if not self._stream.eof and self._stream.decompress(self._rest, 1):
            raise ValueError("it holds more than it announces")
        if not self._stream.eof:
            raise EOFError("it is cut off")


def _count(shape: Any) -> int:
    if not (isinstance(shape, list) and all(isinstance(extent, int) and 0 <= extent < 2**40 for extent in shape)):
        raise TypeError("a shape is no list of sizes")
    count = 1
    for extent in shape:
        count *= extent
    return count


def _is_plausible(array_bytes: int, packed_bytes: int) -> bool:
    return array_bytes <= max(_ALWAYS_BYTES, _LARGEST_RATIO * packed_bytes)


# --------------------------------------------------------------------------------------------- differences


def _differences(name: str, array: NDArray[Any], offsets: NDArray[Any]) -> NDArray[np.int64]:
    """Return the array as differences, int64 of the same shape; they may wrap round, which ``_sums`` undoes."""
    values = array.astype(np.int64)
    if name == "targets":
        return values - _tails(offsets)
    if name in _SMOOTH:
        values[1:] -= values[:-1].copy()
    return values


def _sums(name: str, differences: NDArray[np.int64], arrays: dict[str, NDArray[Any]]) -> NDArray[np.int64]:
    if name == "targets":
        tails = _tails(arrays["offsets"])
        if tails.shape != differences.shape:
            raise ValueError("targets and offsets do not fit")
        return differences + tails
    if name in _SMOOTH:
        return np.cumsum(differences, axis=0, dtype=np.int64)
    return differences


def _tails(offsets: NDArray[Any]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def _planes(differences: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the folded differences as byte planes, uint8 [bytes per number, count], the lowest byte first."""
    flat = differences.reshape(-1)
    folded = ((flat << 1) ^ (flat >> 63)).view(np.uint64)
    width = (int(folded.max(initial=0)).bit_length() + 7) // 8
    return np.ascontiguousarray(folded.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width].T)


def _from_planes(planes: bytes, width: int, count: int) -> NDArray[np.int64]:
    folded = np.zeros((count, 8), np.uint8)
    folded[:, :width] = np.frombuffer(planes, np.uint8).reshape(width, count).T
    values = folded.view("<u8").reshape(-1).astype(np.uint64)
    return (values >> np.uint64(1)).view(np.int64) ^ -(values & np.uint64(1)).view(np.int64)
