"""Read the arrays of a zip archive that a stranger may have made.

``numpy.load`` believes such an archive: members may be packed by any method, twice, encrypted or over each other, and
unpack to a thousand times their size or to pickled objects. Here an archive has to be what ``numpy.savez_compressed``
writes. What its members take is known before any is unpacked, and each is unpacked by its exact number of bytes.
"""

from __future__ import annotations

import io
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.safe.errors import FormatError, SchemaError, WayfrontError
from wayfront.safe.files import why_unread
from wayfront.safe.memory import describe_bomb, most_unpacked, require_memory
from wayfront.safe.schema import (
    ArrayField,
    Layout,
    announced_bytes,
    check_layout,
    check_values,
    parse_header,
)

HEADER = "header"
"""The name of the array that holds a header, JSON in bytes, beside the others."""
START = b"PK\x03\x04"
"""The first bytes of an archive with a member."""
SUFFIX = ".npy"

PROBLEMS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, NotImplementedError)
"""What ``zipfile`` raises for damaged archives, beside ``OSError``."""

_MOST_MEMBERS = 64
_LONGEST_DIRECTORY = 64 << 10
_LARGEST_RATIO = 1032
"""Deflate packs no byte into less than this part of one."""

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_LOCAL = 30
"""Bytes of the header before a member, without its name."""

_ARRAY_START = b"\x93NUMPY\x01\x00"
_ARRAY_HEADER = re.compile(
    rb"\{'descr': '([<|][iu][1248]|<f[48])', 'fortran_order': False, 'shape': \((\d{1,15}),(?: (\d{1,15}))?\), \} *\n"
)
_SLICE_BYTES = 1 << 20
_MEMBER_HEADS = 128 * _MOST_MEMBERS
"""What the headers of all arrays take at most."""


@contextmanager
def damage_explained(path: Path, remedy: str) -> Iterator[None]:
    """Turn what reading an archive raises into ``FormatError``; ``remedy`` ends the sentence of a damaged one."""
    try:
        yield
    except SchemaError as problem:
        raise FormatError(f"damaged: {problem}; {remedy}", path) from None
    except OSError as error:
        raise FormatError(why_unread(error), path) from None
    except WayfrontError:
        raise
    except PROBLEMS:
        raise FormatError(f"damaged: it is no whole archive; {remedy}", path) from None


def write_arrays(file: IO[bytes], header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a header of JSON values and arrays as an archive that ``ArrayArchive`` reads.

    It is compressed, unless it then looked like a bomb, as millions of equal numbers do.
    """
    text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
    members, packed = {HEADER: text, **arrays}, io.BytesIO()
    np.savez_compressed(packed, **members)
    if sum(np.asarray(array).nbytes for array in members.values()) + _MEMBER_HEADS > most_unpacked(packed.tell()):
        packed = io.BytesIO()
        np.savez(packed, **members)
    file.write(packed.getbuffer())


class ArrayArchive:
    """The members of an archive, by their names without ``.npy``.

    All that it does raises ``SchemaError``, ``OSError`` and ``PROBLEMS``.
    """

    def __init__(self, file: IO[bytes]) -> None:
        size = file.seek(0, os.SEEK_END)
        directory = _directory_start(file, size)
        self._archive = zipfile.ZipFile(file)
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._announced: dict[str, tuple[Layout, int]] = {}
        end = 0
        for member in sorted(self._archive.infolist(), key=lambda member: member.header_offset):
            _check_member(member)
            name = member.filename.removesuffix(SUFFIX)
            if name in self._members or name == member.filename:
                raise SchemaError(f"a member that does not belong there, or twice: {ascii(member.filename)[:40]}")
            if member.header_offset < end:
                raise SchemaError("its members lie over each other")
            end = member.header_offset + _LOCAL + member.compress_size
            self._members[name] = member
        if end > directory:
            raise SchemaError("its members lie over each other")
        if sum(member.file_size for member in self._members.values()) > most_unpacked(size):
            raise SchemaError(describe_bomb(size))

    @property
    def names(self) -> set[str]:
        """The names of its arrays."""
        return set(self._members)

    def layouts(self, names: Iterable[str]) -> dict[str, Layout]:
        """Return what is announced of the arrays with these names; it is as much as their members hold."""
        return {name: self._layout(name)[0] for name in names}

    def header(self, longest: int) -> object:
        """Return the JSON value of the header, which has at most so many bytes."""
        layout = self._layout(HEADER)[0]
        if layout.dtype != np.uint8 or len(layout.shape) != 1 or layout.nbytes > longest:
            raise SchemaError("its header is no text, or too long")
        return parse_header(self.read(HEADER).data, longest)

    def read_all(
        self, fields: Sequence[ArrayField], known: Mapping[str, int], path: str | Path
    ) -> tuple[dict[str, NDArray[Any]], dict[str, int]]:
        """Unpack all arrays but the header as they are declared; return them, and the numbers that they count.

        ``known`` are those that are known before. Raises ``MemoryShortError`` too, before anything is unpacked.
        """
        layouts = self.layouts(sorted(self.names - {HEADER}))
        sizes = check_layout(layouts, fields, known)
        require_memory(announced_bytes(layouts), path)
        arrays = {name: self.read(name) for name in layouts}
        check_values(arrays, fields, sizes)
        return arrays, sizes

    def read(self, name: str) -> NDArray[Any]:
        """Unpack one array, of exactly the size that its layout announces."""
        layout, begin = self._layout(name)
        array = np.empty(layout.shape, layout.dtype)
        target = array.reshape(-1).view(np.uint8).data
        with self._archive.open(self._members[name]) as member:
            member.read(begin)
            at = 0
            while at < len(target):
                piece = member.read(min(_SLICE_BYTES, len(target) - at))
                if not piece:
                    raise SchemaError(f"{name} is cut off")
                target[at : at + len(piece)] = piece
                at += len(piece)
        return array

    def _layout(self, name: str) -> tuple[Layout, int]:
        """Return an array's layout, and where in its member its values begin."""
        if name in self._announced:
            return self._announced[name]
        if name not in self._members:
            raise SchemaError(f"{name}: missing")
        info = self._members[name]
        with self._archive.open(info) as member:
            start = member.read(len(_ARRAY_START) + 2)
            if not start.startswith(_ARRAY_START) or len(start) < len(_ARRAY_START) + 2:
                raise SchemaError(f"{name} is no array")
            text = member.read(int.from_bytes(start[-2:], "little"))
        match = _ARRAY_HEADER.fullmatch(text)
        if match is None:
            raise SchemaError(f"{name} is no array that a trace may hold: {ascii(text.decode('latin-1'))[:80]}")
        dtype = np.dtype(match[1].decode())
        layout = Layout(dtype, tuple(int(extent) for extent in match.groups()[1:] if extent is not None))
        begin = len(start) + len(text)
        if info.file_size != begin + layout.nbytes:
            announced = begin + layout.nbytes
            raise SchemaError(f"{name} has {info.file_size:,} bytes, and its header announces {announced:,}")
        self._announced[name] = layout, begin
        return layout, begin


def _check_member(member: zipfile.ZipInfo) -> None:
    """Raise ``SchemaError`` for a member that is encrypted, packed in another way, or announces what it cannot hold."""
    if member.flag_bits & 0x1:
        raise SchemaError("it is encrypted")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise SchemaError("a member is packed in a way that traces are not")
    if member.file_size > _LARGEST_RATIO * member.compress_size:
        raise SchemaError("a member announces more than it can hold")


def _directory_start(file: IO[bytes], size: int) -> int:
    """Return where the archive's directory begins, having checked that it is as short as that of any trace.

    ``zipfile`` makes an object of each of its entries, be there millions. Raises ``SchemaError``.
    """
    tail_bytes = min(size, _END.size + _LOCATOR_64.size + _END_64.size)
    file.seek(size - tail_bytes)
    tail = file.read(tail_bytes)
    if len(tail) < _END.size or not tail[-_END.size :].startswith(b"PK\x05\x06"):
        raise SchemaError("it is no whole archive")
    *_, entries, directory_bytes, begin, comment = _END.unpack(tail[-_END.size :])
    locator = tail[-_END.size - _LOCATOR_64.size : -_END.size]
    if locator.startswith(b"PK\x06\x07"):  # of an archive beyond 2 GiB
        record = tail[: -_END.size - _LOCATOR_64.size]
        if len(record) != _END_64.size or not record.startswith(b"PK\x06\x06"):
            raise SchemaError("it is no whole archive")
        *_, entries, directory_bytes, begin = _END_64.unpack(record)
    if comment or entries > _MOST_MEMBERS or directory_bytes > _LONGEST_DIRECTORY or begin + directory_bytes > size:
        raise SchemaError("its directory is none of a trace")
    return int(begin)
