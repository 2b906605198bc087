"""Mutate files as an attacker would: headers with nasty values and right checksums, arrays swapped, bytes flipped.

Each function takes the bytes of a whole file and a ``random.Random`` and returns the bytes of another, so that a seed
names a file. Checksums are repaired nearly always: what a checksum refuses tests nothing behind it.
"""

from __future__ import annotations

import copy
import json
import lzma
import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

_START = struct.Struct("<8sIII")

DEEP = "[" * 50_000
NASTY: tuple[Any, ...] = (
    *(0, 1, -1, 2, 7, 8, 9, 64, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**32, 2**38, 2**40, 2**63 - 1, 2**63, -(2**63)),
    *(2**64, 10**30, 1.5, -0.0, 1e308, float("nan"), float("inf"), float("-inf")),
    *(True, False, None, "", "0", "a", "\n", "\x1b[31m", "\u202e", "\ud800", "=1+1", "../../etc/passwd", "é" * 300),
    *("<i4", "<i8", "|u1", ">i4", "|O", "<U9", "<f8", "V8", "i4,i4", "offsets", "targets", "weights 0"),
    *("\0", "/dev/zero", "synthetic:complete?nodes=30000", "synthetic:grid?columns=2147483647&rows=2147483647"),
    *("place:Nowhere", "<img src='/dev/zero'>", "[red]", "x" * 100_000),
    *([], {}, [[]], [0], [1, 2, 3], [-1], [2**62, 2**62], {"a": 1}, [None], [[[[[]]]]]),
)
"""Values that a header may hold where another was expected."""


def mutate_bytes(content: bytes, chance: Random) -> bytes:
    """Return the bytes with some flipped, cut out, put in, or the end cut off."""
    mutated = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(mutated) + 1)
        kind = chance.randrange(4)
        if kind == 0 and at < len(mutated):
            mutated[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del mutated[at : at + chance.choice((1, 4, 8, 64))]
        elif kind == 2:
            mutated[at:at] = chance.choice((b"\0", b"\xff" * 8, b"[", b'"', chance.randbytes(5)))
        else:
            del mutated[at:]
    return bytes(mutated)


_TOKEN = re.compile(rb"<!--|-->|<[^<>]{1,80}>|[A-Za-z_]{1,30}|-?[0-9]{1,20}|[^\sA-Za-z0-9_]|[ \t]{1,20}|\n")
_MOST_REPEATED = 1 << 16


def repeat_token(content: bytes, chance: Random) -> bytes:
    """Return the bytes with one word, number, tag, sign or blank of the first ones repeated, up to 65,536 bytes of it.

    What reads it should take as long as for any text of that length.
    """
    tokens = list(_TOKEN.finditer(content, 0, chance.choice((100, 2_000, len(content)))))
    if not tokens:
        return content
    found = chance.choice(tokens)
    last = (
        found if chance.random() < 0.7 else tokens[min(tokens.index(found) + chance.choice((1, 2, 3)), len(tokens) - 1)]
    )
    repeated = content[found.start() : last.end()]
    times = chance.choice((2, 30, 1_000, _MOST_REPEATED))
    return content[: found.start()] + repeated * min(times, _MOST_REPEATED // len(repeated) + 1) + content[last.end() :]


def mutate_json(value: Any, chance: Random) -> str:
    """Return JSON like ``value`` with one to three entries replaced, deleted, doubled, swapped or added."""
    mutated = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        holders = list(_holders(mutated))
        if not holders:
            return json.dumps(chance.choice(NASTY))
        _mutate_one(chance.choice(holders), chance)
    text = json.dumps(mutated)
    if chance.random() < 0.05:
        return _with_a_name_twice(text, chance)
    if chance.random() < 0.02:
        return text.replace(chance.choice(("[", "{", "1")), chance.choice((DEEP, "9" * 5000, "1e999")), 1)
    return text


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def _mutate_one(holder: Any, chance: Random) -> None:
    """Change one entry of a table or list in place."""
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    key, other = chance.choice(keys), chance.choice(keys)
    kind = chance.randrange(6)
    if kind <= 2:
        holder[key] = copy.deepcopy(chance.choice(NASTY))
    elif kind == 3:
        del holder[key]
    elif kind == 4:
        holder[key], holder[other] = holder[other], holder[key]
    elif isinstance(holder, dict):
        holder[chance.choice(("new", "name", "shape", "", "format"))] = copy.deepcopy(holder[other])
    else:
        holder.insert(key, copy.deepcopy(holder[other]))


def _with_a_name_twice(text: str, chance: Random) -> str:
    at = [index for index, character in enumerate(text) if character == "{"]
    begin = chance.choice(at) + 1 if at else 0
    return text[:begin] + '"name": 3, "name": 4, ' + text[begin:] if at else text


def _with_bits(content: bytes, chance: Random) -> bytes:
    """Return the bytes with one to three bits flipped."""
    mutated = bytearray(content)
    for _ in range(chance.choice((1, 1, 3)) if content else 0):
        mutated[chance.randrange(len(mutated))] ^= 1 << chance.randrange(8)
    return bytes(mutated)


def _with_zeros(content: bytes, chance: Random) -> bytes:
    """Return as many zeros, perhaps behind the first bytes."""
    keep = chance.choice((0, chance.randrange(len(content) + 1)))
    return content[:keep] + bytes(len(content) - keep)


def with_header(magic: bytes, version: int, header: bytes, rest: bytes) -> bytes:
    """Return a file of ours with this header under the right checksum."""
    return _START.pack(magic, version, len(header), zlib.crc32(header)) + header + rest


def split(content: bytes) -> tuple[bytes, int, bytes, bytes]:
    """Return magic, version, header and the rest of a file of ours."""
    magic, version, size, _ = _START.unpack_from(content)
    return magic, version, content[_START.size : _START.size + size], content[_START.size + size :]


def mutate_native(content: bytes, chance: Random) -> bytes:
    """Return a mutation of a ``.wayfront`` file, mostly with right checksums."""
    magic, version, header, packed = split(content)
    kind = chance.randrange(10)
    if kind == 0:
        return mutate_bytes(content, chance)
    if kind == 1:
        header = mutate_bytes(header, chance)
    elif kind <= 5:
        header = _encoded(mutate_json(json.loads(header), chance))
    if kind >= 5:
        planes = lzma.decompress(packed)
        mutate = (_with_bits, _with_bits, mutate_bytes, _with_zeros, _with_bits)[kind - 5]
        packed = lzma.compress(mutate(planes, chance), preset=0)  # the usual preset takes 90 MB for its tables
    if kind == 9:
        packed = mutate_bytes(packed, chance)
    return with_header(magic, version, header, packed)


def mutate_cached(content: bytes, chance: Random, checksum: Callable[[bytes], int]) -> bytes:
    """Return a mutation of a cached network's file; ``checksum`` is what the cache computes of an array's bytes."""
    magic, version, header, _ = split(content)
    table = json.loads(header)
    arrays = [content[begin:end] for begin, end in extents(table["arrays"], len(header))]
    kind = chance.randrange(8)
    if kind == 0:
        return mutate_bytes(content, chance)
    if kind == 1:
        header = mutate_bytes(header, chance)
    elif kind <= 4:
        header = _encoded(mutate_json(table, chance))
    else:
        index = chance.randrange(len(arrays))
        arrays[index] = _with_values(arrays[index], chance) if kind < 7 else chance.choice(arrays)
        table["arrays"][index]["checksum"] = checksum(arrays[index])
        header = _encoded(json.dumps(table))
    whole = with_header(magic, version, header, b"")
    for array in arrays:
        whole += bytes(-len(whole) % 64) + array
    return whole


def extents(table: list[dict[str, Any]], header_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield where each array of a cached network's file begins and ends."""
    end = _START.size + header_bytes
    for entry in table:
        begin = -(-end // 64) * 64
        end = begin + math.prod(entry["shape"]) * int(entry["dtype"][-1])
        yield begin, end


def _with_values(array: bytes, chance: Random) -> bytes:
    """Return an array of numbers in which one to three are others."""
    mutated = bytearray(array)
    for _ in range(chance.choice((1, 1, 3)) if len(array) >= 4 else 0):
        at = chance.randrange(len(array) // 4) * 4
        number = chance.choice((-1, -2, 0, 1, 3, 4, 255, 2**24, 2**31 - 1, -(2**31), chance.randrange(100)))
        mutated[at : at + 4] = struct.pack("<i", number)
    return bytes(mutated)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
