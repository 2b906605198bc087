"""Mutate the program's own files as somebody would who knows their layout: checksums are right, contents are not.

Each mutator knows the container from its description alone and shares no code with the readers.
"""

from __future__ import annotations

import io
import json
import lzma
import random
import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soak.mutators import change_bytes
from soak.values import change_array, change_json

_START = struct.Struct("<8sIII")
_ALIGNMENT = 64


def _split(content: bytes) -> tuple[bytes, int, dict[str, Any], bytes]:
    """Return magic, version, header and the rest of a network file or a cache file."""
    magic, version, size, _ = _START.unpack_from(content)
    return magic, version, json.loads(content[_START.size : _START.size + size]), content[_START.size + size :]


def _join(magic: bytes, version: int, header: Any, rest: bytes) -> bytes:
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    return _START.pack(magic, version, len(text), zlib.crc32(text)) + text + rest


# ----------------------------------------------------------------------------------------------- .wayfront files


def change_network_file(r: random.Random, content: bytes) -> bytes:
    """Change the header, the packed planes of the arrays, or both, and make the header's checksum right."""
    magic, version, header, packed = _split(content)
    planes = lzma.decompress(packed)
    action = r.randrange(10)
    if action <= 5:
        for _ in range(r.choice((1, 1, 2, 3))):
            header = change_json(r, header)
    if action in (0, 6, 7):
        planes = change_bytes(r, planes)
    if action == 8:
        header, planes = _with_entries(r, header, planes)
    if action == 9:
        entry = r.choice(header["arrays"])
        entry["shape"] = [r.choice((10**9, 2**39, 10**6)) for _ in entry["shape"]]
        entry["width"] = r.choice((0, 0, entry["width"]))
    if planes is not None and action in (0, 6, 7, 8):
        packed = lzma.compress(planes, preset=0) if r.random() < 0.9 else lzma.compress(planes, lzma.FORMAT_ALONE)
    return _join(magic, version, header, packed)


def _with_entries(r: random.Random, header: dict[str, Any], planes: bytes) -> tuple[dict[str, Any], bytes]:
    """Change the order or the number of the arrays together with their planes."""
    pieces, at = [], 0
    for entry in header["arrays"]:
        size = entry["width"] * int(np.prod(entry["shape"], dtype=np.int64))
        pieces.append((entry, planes[at : at + size]))
        at += size
    action = r.randrange(3)
    if action == 0:
        r.shuffle(pieces)
    elif action == 1:
        del pieces[r.randrange(len(pieces))]
    else:
        entry, piece = r.choice(pieces)
        pieces.insert(0, ({**entry, "name": r.choice((entry["name"], "another", "weights 9"))}, piece))
    header["arrays"] = [entry for entry, _ in pieces]
    return header, b"".join(piece for _, piece in pieces)


# ------------------------------------------------------------------------------------------------- cache files


def change_cache_file(r: random.Random, content: bytes) -> bytes:
    """Change arrays or the header of a cache file and make both checksums right, or cut the file off."""
    magic, version, header, _ = _split(content)
    data = _aligned(len(content) - len(_split(content)[3]))
    arrays = [(entry["name"], _array_of(content, entry, data)) for entry in header["arrays"]]
    action = r.randrange(8)
    if action <= 3:
        at = r.randrange(len(arrays))
        arrays[at] = (arrays[at][0], change_array(r, arrays[at][1]))
    elif action == 4:
        r.choice((r.shuffle, _drop, _double))(arrays)
    header["arrays"], body, header["checksum"] = _laid_out(arrays)
    if action >= 5 or r.random() < 0.2:
        for _ in range(r.choice((1, 1, 3))):
            header = change_json(r, header)
    start = _join(magic, version, header, b"")
    whole = start + bytes(_aligned(len(start)) - len(start)) + body
    return whole[: r.randrange(len(whole))] if r.random() < 0.05 else whole


def _array_of(content: bytes, entry: dict[str, Any], data: int) -> NDArray[Any]:
    count = int(np.prod(entry["shape"], dtype=np.int64))
    array = np.frombuffer(content, entry["dtype"], count, data + entry["place"]) if count else np.empty(0)
    return array.astype(entry["dtype"]).reshape(entry["shape"])


def _laid_out(arrays: Iterable[tuple[str, NDArray[Any]]]) -> tuple[list[dict[str, Any]], bytes, int]:
    """Return the table, the bytes and the checksum of arrays."""
    table: list[dict[str, Any]] = []
    body, checksum = b"", 0
    for name, array in arrays:
        body += bytes(_aligned(len(body)) - len(body))
        piece = array.tobytes()
        table.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "place": len(body)})
        checksum = zlib.crc32(piece, checksum)
        body += piece
    return table, body, checksum


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def _drop(arrays: list[Any]) -> None:
    del arrays[len(arrays) // 2]


def _double(arrays: list[Any]) -> None:
    arrays.append(arrays[0])


# ------------------------------------------------------------------------------------------------------- traces


def change_trace(r: random.Random, content: bytes) -> bytes:
    """Change the header, arrays or members of a trace; the archive's checksums are right."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    action = r.randrange(12)
    if action <= 3:
        header = json.loads(_array_in(members["header.npy"]).tobytes())
        for _ in range(r.choice((1, 1, 2, 3))):
            header = change_json(r, header)
        text = json.dumps(header).encode("utf-8", "surrogatepass")
        members["header.npy"] = _as_member(np.frombuffer(text, np.uint8))
    elif action <= 8:
        for _ in range(r.choice((1, 1, 2))):
            name = r.choice([name for name in members if name != "header.npy"])
            members[name] = _as_member(change_array(r, _array_in(members[name])))
    elif action == 9:
        name = r.choice(list(members))
        members[name] = change_bytes(r, members[name])
    elif action == 10:
        name = r.choice(list(members))
        members[name] = _hostile_member(r)
    else:
        name = r.choice(list(members))
        moved = members.pop(name)
        if r.random() < 0.5:
            members[r.choice(("../outside.npy", "another.npy", name.upper(), ""))] = moved
    return _archived(r, members)


def _array_in(member: bytes) -> NDArray[Any]:
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(member))
    return array


def _as_member(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array)
    return file.getvalue()


def _hostile_member(r: random.Random) -> bytes:
    """Return a member whose own header announces what it does not hold, or code."""
    if r.random() < 0.2:
        file = io.BytesIO()
        np.lib.format.write_array(file, np.array([{"a": 1}], object), allow_pickle=True)
        return file.getvalue()
    shape = r.choice(
        ("(1000000000000,)", "(0, 9223372036854775807)", "(-1,)", "(True,)", "()", "(1,) * 40", "'a'", "(")
    )
    dtype = r.choice(("'<i4'", "'<i8'", "'|O'", "'|V1000000000'", "[('a', '<i4')]", "'nonsense'", "'<m8[s]'"))
    text = f"{{'descr': {dtype}, 'fortran_order': {r.choice(('False', 'True', '7'))}, 'shape': {shape}, }}\n"
    packed = text.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(packed)) + packed + bytes(64)


def _archived(r: random.Random, members: dict[str, bytes]) -> bytes:
    """Return the members as an archive, now and then packed, marked or doubled as no writer of traces does."""
    methods = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    odd = r.random() < 0.15
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", r.choice(methods) if odd else zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, member in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = archive.compression
            archive.writestr(info, member)
    content = file.getvalue()
    if odd and r.random() < 0.4:
        content = _marked(r, content)
    return content


def _marked(r: random.Random, content: bytes) -> bytes:
    """Set the flag of an encrypted member, an unknown method of packing, or a wrong size, in one of the entries."""
    changed = bytearray(content)
    starts = [i for i in range(len(changed) - 4) if changed[i : i + 4] == b"PK\x01\x02"]
    at = r.choice(starts)
    action = r.randrange(4)
    if action == 0:
        changed[at + 8] |= 1
    elif action == 1:
        changed[at + 10] = r.choice((1, 6, 9, 12, 14, 93, 99))
    elif action == 2:
        changed[at + 24 : at + 28] = struct.pack("<I", r.choice((0, 1, 2**31, 2**32 - 1)))
    else:
        changed[at + 16 : at + 20] = r.randbytes(4)
    return bytes(changed)
