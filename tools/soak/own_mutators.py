"""Mutate the program's own files as somebody would who knows their layout: checksums are right, contents are not.

Headers and packed bytes are mutated by ``mutations``, which tests use too; here whole arrays are, with all that names
them made to fit.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import random
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soak.mutations import extents, mutate_cached, mutate_json, mutate_native, split, with_header
from soak.mutators import change_bytes
from soak.values import change_array

_ALIGNMENT = 64


def change_network_file(r: random.Random, content: bytes) -> bytes:
    """Change a ``.wayfront`` file: its header, packed bytes, or the order and the number of its arrays."""
    if r.random() < 0.8:
        return mutate_native(content, r)
    magic, version, text, packed = split(content)
    header, planes = json.loads(text), lzma.decompress(packed)
    pieces, at = [], 0
    for entry in header["arrays"]:
        size = entry["width"] * math.prod(entry["shape"])
        pieces.append((entry, planes[at : at + size]))
        at += size
    action = r.randrange(4)
    if action == 0:
        r.shuffle(pieces)
    elif action == 1:
        del pieces[r.randrange(len(pieces))]
    elif action == 2:
        entry, piece = r.choice(pieces)
        pieces.insert(0, ({**entry, "name": r.choice((entry["name"], "another", "weights 9"))}, piece))
    else:
        entry, _ = r.choice(pieces)
        entry["shape"] = [r.choice((10**9, 2**39, 10**6)) for _ in entry["shape"]]
        entry["width"] = r.choice((0, 0, entry["width"]))
    header["arrays"] = [entry for entry, _ in pieces]
    packed = lzma.compress(b"".join(piece for _, piece in pieces))
    return with_header(magic, version, json.dumps(header).encode(), packed)


def change_cache_file(r: random.Random, content: bytes, checksum: Callable[[bytes], int]) -> bytes:
    """Change a cached network: its header, or whole arrays with their entries; ``checksum`` is an array's."""
    if r.random() < 0.5:
        return mutate_cached(content, r, checksum)
    magic, version, text, _ = split(content)
    header = json.loads(text)
    table = header["arrays"]
    arrays = [
        np.frombuffer(content[begin:end], entry["dtype"]).reshape(entry["shape"])
        for entry, (begin, end) in zip(table, extents(table, len(text)), strict=True)
    ]
    at = r.randrange(len(arrays))
    action = r.randrange(8)
    if action <= 5:
        arrays[at] = change_array(r, arrays[at])
    elif action == 6:
        del arrays[at], table[at]
    else:
        arrays.append(arrays[at])
        table.append({**table[at], "name": r.choice((table[at]["name"], "another"))})
    for entry, array in zip(table, arrays, strict=True):
        entry |= {"dtype": array.dtype.str, "shape": array.shape, "checksum": checksum(array.tobytes())}
    whole = with_header(magic, version, json.dumps(header).encode(), b"")
    for array in arrays:
        whole += bytes(-len(whole) % _ALIGNMENT) + array.tobytes()
    return whole[: r.randrange(len(whole))] if r.random() < 0.05 else whole


# ------------------------------------------------------------------------------------------------------- traces


def change_trace(r: random.Random, content: bytes) -> bytes:
    """Change the header, arrays or members of a trace; the archive's checksums are right."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    action = r.randrange(14)
    if action <= 3:
        header = json.loads(_array_in(members["header.npy"]).tobytes())
        text = mutate_json(header, r).encode("utf-8", "surrogatepass")
        members["header.npy"] = _as_member(np.frombuffer(text, np.uint8))
    elif action <= 8:
        for _ in range(r.choice((1, 1, 2))):
            name = r.choice([name for name in members if name != "header.npy"])
            members[name] = _as_member(change_array(r, _array_in(members[name])))
    elif action == 9:
        name = r.choice(list(members))
        members[name] = change_bytes(r, members[name])
    elif action == 10:
        members[r.choice(list(members))] = _hostile_member(r)
    elif action == 11:
        _change_length(r, members)
    else:
        _move_members(r, members)
    return _archived(r, members)


def _change_length(r: random.Random, members: dict[str, bytes]) -> None:
    """Empty or double all arrays of one length, such as those of all steps."""
    arrays = {name: _array_in(member) for name, member in members.items() if name != "header.npy"}
    rows = r.choice(list(arrays.values())).shape[:1]
    for name, array in arrays.items():
        if rows and array.shape[:1] == rows:
            members[name] = _as_member(r.choice((array[:0], np.concatenate((array, array)))))


def _move_members(r: random.Random, members: dict[str, bytes]) -> None:
    """Drop a member, give it another name, or exchange two."""
    name, other = r.choice(list(members)), r.choice(list(members))
    action = r.randrange(3)
    if action == 0:
        members[name], members[other] = members[other], members[name]
        return
    moved = members.pop(name)
    if action == 1:
        odd = ("../outside.npy", "another.npy", name.upper(), "", "a/", "a" * 300, "\u202e.npy")
        members[r.choice(odd)] = moved


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
    shapes = (
        *("(1000000000000,)", "(0, 9223372036854775807)", "(-1,)", "(True,)", "()", "(1,) * 40", "'a'", "(", "(1e9,)"),
        *("(" * 500, "(99999999999999999999,)", "(1000000000,)", "(0,)", "(1, 1)"),
    )
    dtype = r.choice(("'<i4'", "'<i8'", "'|O'", "'|V1000000000'", "[('a', '<i4')]", "'nonsense'", "'<m8[s]'", "'|u1'"))
    text = f"{{'descr': {dtype}, 'fortran_order': {r.choice(('False', 'True', '7'))}, 'shape': {r.choice(shapes)}, }}\n"
    packed = text.encode()
    version = r.choice((b"\1\0", b"\2\0", b"\3\0", b"\0\0"))
    return b"\x93NUMPY" + version + struct.pack("<H", len(packed)) + packed + bytes(64)


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
        archive.comment = b"a comment" * (odd and r.random() < 0.1)
    content = file.getvalue()
    if odd and r.random() < 0.2:
        content = _with_a_member_twice(content)
    return _marked(r, content) if odd and r.random() < 0.5 else content


def _with_a_member_twice(content: bytes) -> bytes:
    """Return an archive whose directory has its first entry once more."""
    begin, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    entry = content[begin : content.index(b"PK\1\2", begin + 1)]
    *fields, entries, size, offset, comment = struct.unpack("<4s4H2LH", content[end : end + 22])
    fields[-1] += 1
    record = struct.pack("<4s4H2LH", *fields, entries + 1, size + len(entry), offset, comment)
    return content[:end] + entry + record + content[end + 22 :]


def _marked(r: random.Random, content: bytes) -> bytes:
    """Change one field in an entry of the directory: flags, method, checksum, sizes or where the member is."""
    changed = bytearray(content)
    starts = [i for i in range(len(changed) - 46) if changed[i : i + 4] == b"PK\1\2"]
    at = r.choice(starts)
    field, size = r.choice(((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4), (6, 2)))
    numbers = (0, 1, 2, 6, 8, 9, 12, 14, 64, 99, 0x801, 2**16 - 1, 2**20, 2**31, 2**32 - 1, r.getrandbits(32))
    number = r.choice(numbers) & ((1 << 8 * size) - 1)
    changed[at + field : at + field + size] = number.to_bytes(size, "little")
    return bytes(changed)
