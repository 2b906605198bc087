"""Mutate the content of files: bytes of any file, words and lines of text, and the inside of containers.

A mutator takes a source of randomness and a file's content and returns another content. What it does follows from
the randomness alone, so that a seed names a file.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import re
import zlib
from collections.abc import Callable, Iterator

from soak.mutations import mutate_json, repeat_token
from soak.values import FRAGMENTS, NUMBER_TEXTS

Mutator = Callable[[random.Random, bytes], bytes]

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_LARGEST = 4 << 20
"""Mutated files stay below this size."""


def change_bytes(r: random.Random, content: bytes) -> bytes:
    """Flip, replace, drop, double or insert bytes, or cut the file off."""
    changed = bytearray(content)
    for _ in range(r.choice((1, 1, 2, 5, 30))):
        at, action = r.randrange(len(changed) + 1), r.randrange(7)
        end = min(at + r.choice((1, 2, 4, 30, 1000)), len(changed))
        if action <= 1 and at < len(changed):
            changed[at] ^= 1 << r.randrange(8)
        elif action == 2 and at < len(changed):
            changed[at] = r.choice((0, 1, 127, 128, 255))
        elif action == 3:
            del changed[at:end]
        elif action == 4:
            changed[at:at] = changed[at:end]
        elif action == 5:
            changed[at:at] = r.choice((r.randbytes(4), b"\xff" * 8, b"\0" * 8))
        elif action == 6 and r.random() < 0.3:
            del changed[at:]
    return bytes(changed[:_LARGEST])


def change_text(r: random.Random, content: bytes) -> bytes:
    """Replace numbers, move, drop and double lines, and insert what text files should not hold."""
    for _ in range(r.choice((1, 1, 2, 4))):
        action = r.randrange(11)
        if action <= 4 and (numbers := list(_NUMBER.finditer(content))):
            hit = r.choice(numbers)
            content = content[: hit.start()] + r.choice(NUMBER_TEXTS).encode() + content[hit.end() :]
        elif action <= 6:
            content = _change_lines(r, content)
        elif action == 7:
            at = r.randrange(len(content) + 1)
            content = content[:at] + r.choice(FRAGMENTS) + content[at:]
        elif action == 10:
            content = repeat_token(content, r)
        elif action == 8:
            words = content.split(b" ")
            a, b = r.randrange(len(words)), r.randrange(len(words))
            words[a] = words[b]
            content = b" ".join(words)
        else:
            content = change_bytes(r, content)
    return content[:_LARGEST]


def _change_lines(r: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    a, b = r.randrange(len(lines)), r.randrange(len(lines))
    action = r.randrange(5)
    if action == 0:
        del lines[a]
    elif action == 1:
        lines.insert(a, lines[b])
    elif action == 2:
        lines[a], lines[b] = lines[b], lines[a]
    elif action == 3:
        lines[a:a] = [lines[b]] * r.choice((2, 100, 3000))
    else:
        lines[a] = lines[a][: r.randrange(len(lines[a]) + 1)]
    return b"\n".join(lines)


def change_json_text(r: random.Random, content: bytes) -> bytes:
    """Change one to three values of a JSON text."""
    return mutate_json(json.loads(content), r).encode("utf-8", "surrogatepass")


def one_of(*mutators: Mutator) -> Mutator:
    """Return a mutator that uses one of several, the first as often as all others together."""

    def change(r: random.Random, content: bytes) -> bytes:
        chosen = mutators[0] if r.random() < 0.5 else r.choice(mutators)
        return chosen(r, content)

    return change


def inside(suffix: str, change: Mutator) -> Mutator:
    """Return a mutator of a compressed file: of what it holds, or now and then of the packed bytes."""
    pack, unpack = PACKINGS[suffix]

    def changed(r: random.Random, content: bytes) -> bytes:
        if r.random() < 0.3:
            return change_bytes(r, content)
        packed = pack(change(r, unpack(content)))
        return packed + packed if r.random() < 0.05 else packed

    return changed


PACKINGS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    ".gz": (lambda content: gzip.compress(content, 1, mtime=0), gzip.decompress),
    ".bz2": (lambda content: bz2.compress(content, 1), bz2.decompress),
    ".xz": (lambda content: lzma.compress(content, preset=0), lzma.decompress),
}
"""How to pack and unpack, by the suffix of files."""


# ------------------------------------------------------------------------------------------- PBF: blocks of messages


def change_pbf(r: random.Random, content: bytes) -> bytes:
    """Change the unpacked bytes of one block of a PBF file, and pack it again with the right sizes."""
    blocks = list(_blocks(content))
    chosen = r.randrange(len(blocks))
    result = b""
    for index, (kind, data) in enumerate(blocks):
        announced = len(data)
        if index == chosen:
            data = change_bytes(r, data)  # noqa: PLW2901 - the changed block takes its place
            announced = r.choice((len(data), len(data), len(data), announced, 0, 2**31 - 1, 32 << 20))
        blob = _field(2, announced) + _field(3, zlib.compress(data, 1))
        header = _field(1, kind) + _field(3, len(blob))
        result += len(header).to_bytes(4, "big") + header + blob
    return result


def _blocks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and unpacked data of the blocks of a whole PBF file."""
    at = 0
    while at < len(content):
        end = at + 4 + int.from_bytes(content[at : at + 4], "big")
        header = dict(_fields(content[at + 4 : end]))
        size, kind = header[3], header[1]
        assert isinstance(size, int)
        assert isinstance(kind, bytes)
        blob = dict(_fields(content[end : end + size]))
        data = blob[1] if 1 in blob else zlib.decompress(bytes(blob[3]))
        assert isinstance(data, bytes)
        yield kind, data
        at = end + size


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of the fields of a protocol buffer that holds numbers and bytes."""
    at = 0
    while at < len(message):
        tag, at = _number(message, at)
        value, at = _number(message, at)
        if tag & 7:
            yield tag >> 3, message[at : at + value]
            at += value
        else:
            yield tag >> 3, value


def _number(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _packed_number(number << 3) + _packed_number(value)
    return _packed_number(number << 3 | 2) + _packed_number(len(value)) + value


def _packed_number(value: int) -> bytes:
    result = b""
    while value > 127:
        result, value = result + bytes([value & 127 | 128]), value >> 7
    return result + bytes([value])
