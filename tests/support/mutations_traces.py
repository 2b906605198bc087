"""Mutate traces as somebody would who knows their layout, and do with one what the window does.

``mutate_trace`` takes the bytes of a whole trace and a ``random.Random``, as the functions of ``mutations`` do. The
archive's checksums are right nearly always: what a checksum refuses tests nothing behind it.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soak.mutations import mutate_bytes, mutate_json
from trace_files import HEADER, array_bytes, header_bytes, header_of, pack
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.searching.result_file import load_trace
from wayfront_gui.app.map_sync import describe_node

_NUMBERS = (-1, -2, 0, 1, 2, 3, 199, 200, 255, 10_000_000, 2**31 - 2, 2**31 - 1, -(2**31))
_WIDE = (*_NUMBERS, 2**31, 2**32, 2**53, 2**62, 2**63 - 2, 2**63 - 1, -(2**63))
_DTYPES = ("<i4", "<i8", "<u4", "<u8", "|i1", "|u1", "<f8", ">i4", ">i8", "<f4", "|b1", "<c16", "<M8[s]")
_HEADERS = (
    *("(1000000000000,)", "(0, 9223372036854775807)", "(-1,)", "(True,)", "()", "(1,) * 40", "'a'", "(", "(1e9,)"),
    *("(" * 500, "(99999999999999999999,)", "(1000000000,)", "(0,)", "(1,)", "(1, 1)"),
)
_DESCRIPTIONS = ("'<i4'", "'<i8'", "'|O'", "'|V1000000000'", "[('a', '<i4')]", "'nonsense'", "'<m8[s]'", "'|u1'")

Members = dict[str, bytes]


def mutate_trace(content: bytes, chance: Random) -> bytes:
    """Return a mutation of a trace: of its header, arrays, members or archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if (once := chance.random()) < 0.75:
        for _ in range(chance.choice((1, 1, 1, 2))):
            chance.choice(_CONTENT)(members, chance)
    if once > 0.65:
        chance.choice(_MEMBERS)(members, chance)
    kind = chance.randrange(12)
    if kind == 0:
        return mutate_bytes(pack(members), chance)
    if kind <= 2:
        return _marked(_packed_oddly(members, chance), chance)
    return pack(members)


def _change_header(members: Members, chance: Random) -> None:
    with suppress(ValueError, RecursionError):  # no JSON any more, or too deep
        text = mutate_json(header_of(members), chance)
        members[HEADER] = header_bytes(text.encode("utf-8", "surrogatepass"))


def _change_values(members: Members, chance: Random) -> None:
    """Change one to three numbers of an array, or all, in place."""
    name = _an_array(members, chance)
    array = _array(members[name]).copy()
    wide = array.dtype.itemsize == 8
    if array.size == 0 or array.dtype.kind not in "iu":
        return
    if chance.random() < 0.1:
        array[...] = chance.choice((0, 1, -1, 2**31 - 1))
    for _ in range(chance.choice((1, 1, 3))):
        value = chance.choice((*(_WIDE if wide else _NUMBERS), int(chance.choice(array.reshape(-1).tolist()))))
        array.flat[chance.randrange(array.size)] = np.array(value).astype(array.dtype)
    members[name] = array_bytes(array)


def _make_a_cycle(members: Members, chance: Random) -> None:
    parents = _array(members["parents.npy"]).copy()
    if parents.ndim == 1 and len(parents) > 2 and parents.dtype == np.int32:
        nodes = chance.sample(range(len(parents)), chance.choice((1, 2, 3)))
        parents[nodes] = np.roll(nodes, 1)
        members["parents.npy"] = array_bytes(parents)


def _change_form(members: Members, chance: Random) -> None:
    """Change dtype, shape, order or length of an array."""
    name = _an_array(members, chance)
    array = _array(members[name])
    kind = chance.randrange(5)
    if kind == 0:
        array = array.astype(np.dtype(chance.choice(_DTYPES)))
    elif kind == 1:
        array = array[: chance.choice((0, 1, len(array) // 2, -1))]
    elif kind == 2:
        array = np.concatenate((array, array[: chance.choice((1, len(array)))]))
    elif kind == 3:
        array = chance.choice((array[None], array[:, None], np.stack((array, array)).T))
    else:
        array = np.asfortranarray(np.stack((array.reshape(-1),) * 3, 1))
    members[name] = array_bytes(array)


def _change_all_steps(members: Members, chance: Random) -> None:
    """Repeat the arrays of all steps, as a trace of another length would have them."""
    names = [n for n in members if n not in (HEADER, "parents.npy", "distances.npy")]
    length = len(_array(members["time_ns.npy"]))
    for name in names:
        array = _array(members[name])
        if len(array) == length:
            members[name] = array_bytes(chance.choice((array[:0], np.concatenate((array, array)))))


def _change_bytes(members: Members, chance: Random) -> None:
    name = chance.choice(sorted(members))
    members[name] = mutate_bytes(members[name], chance)


def _announce(members: Members, chance: Random) -> None:
    """Let a member announce what it does not hold, or hold a pickled object."""
    name = chance.choice(sorted(members))
    if chance.random() < 0.2:
        members[name] = array_bytes(np.array([{"a": 1}], object), pickled=True)
        return
    order = chance.choice(("False", "False", "True", "7"))
    descr, shape = chance.choice(_DESCRIPTIONS), chance.choice(_HEADERS)
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
    start = b"\x93NUMPY" + chance.choice((b"\1\0", b"\2\0", b"\3\0", b"\0\0"))
    members[name] = start + struct.pack("<H", len(text)) + text.encode() + bytes(64)


def _move_members(members: Members, chance: Random) -> None:
    """Drop a member, give it another name, or exchange two."""
    name, other = chance.choice(sorted(members)), chance.choice(sorted(members))
    kind = chance.randrange(3)
    if kind == 0:
        members[name], members[other] = members[other], members[name]
        return
    moved = members.pop(name)
    if kind == 1:
        members[chance.choice(("../outside.npy", "another.npy", name.upper(), "a/", "a" * 300, "\u202e.npy"))] = moved


_CONTENT: tuple[Callable[[Members, Random], None], ...] = (
    *(_change_header,) * 4,
    *(_change_values,) * 6,
    *(_make_a_cycle, _change_form, _change_all_steps),
)
_MEMBERS = (_change_bytes, _announce, _move_members)
"""Afterwards, since arrays and header may not be readable any more."""


def _an_array(members: Members, chance: Random) -> str:
    return chance.choice([name for name in sorted(members) if name != HEADER])


def _array(member: bytes) -> NDArray[Any]:
    array: NDArray[Any] = np.load(io.BytesIO(member))
    return array


def _packed_oddly(members: Members, chance: Random) -> bytes:
    """Return the archive packed in another way, with a member twice, or with a comment."""
    method = chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        if chance.random() < 0.1:
            archive.comment = b"a comment"
    content = packed.getvalue()
    if chance.random() < 0.2:  # the first entry of the directory once more, so that a member is there twice
        begin = content.index(b"PK\1\2")
        entry = content[begin : content.index(b"PK\1\2", begin + 1)]
        end = content.index(b"PK\5\6")
        *fields, entries, size, offset, comment = struct.unpack("<4s4H2LH", content[end : end + 22])
        fields[-1] += 1
        record = struct.pack("<4s4H2LH", *fields, entries + 1, size + len(entry), offset, comment)
        content = content[:end] + entry + record + content[end + 22 :]
    return content


def _marked(content: bytes, chance: Random) -> bytes:
    """Change one field in an entry of the directory: flags, method, checksum, sizes or where the member is."""
    changed = bytearray(content)
    entries = [at for at in range(len(changed) - 46) if changed[at : at + 4] == b"PK\1\2"]
    if not entries:
        return content
    at = chance.choice(entries)
    field, size = chance.choice(((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4), (6, 2)))
    numbers = (0, 1, 2, 6, 8, 9, 12, 14, 64, 99, 0x801, 2**16 - 1, 2**20, 2**31, 2**32 - 1, chance.getrandbits(32))
    number = chance.choice(numbers) & ((1 << 8 * size) - 1)
    changed[at + field : at + field + size] = number.to_bytes(size, "little")
    return bytes(changed)


# -------------------------------------------------------------------------------------------------------- using one


def use_trace(path: Path, network: RoadNetwork) -> Result:
    """Load a trace as the window does and look at all that the window shows of it. Raises ``TraceError``."""
    result = load_trace(path, network)
    _use_in_slot(result)
    _use_on_map(result)
    return result


def _use_in_slot(result: Result) -> None:
    from wayfront_gui.app.timeline import StepColumns
    from wayfront_gui.session import formatting
    from wayfront_gui.session import formatting as step_formatting
    from wayfront_gui.session.session import Session
    from wayfront_gui.session.state import Walk

    session, trace = Session(), result.trace
    assert trace is not None
    slot = session.active
    slot.open(result.network)
    slot.choose_metric(result.metric.name)
    slot.choose_algorithm(result.algorithm)
    slot.choose_source(result.source)
    slot.show(result)
    slot.player.load(trace, result.distances)
    for walk in Walk:
        session.clock.set_walk(walk)
        for fraction in (0.0, 0.4, 1.0):
            slot.player.seek_fraction(fraction)
            assert 0 <= slot.player.fraction <= 1
        StepColumns.of(trace, slot.player.marks, 90, float(result.distances[result.farthest]))
    for node in range(-1, min(result.network.node_count, 40)):
        slot.choose_target(max(node, 0))
        slot.route()
        slot.journey()
        describe_node(slot, node)
    for index in range(min(len(trace), 20)):
        step_formatting.about_step(trace, index, result.network, result.metric)
    for describe in (formatting.times, formatting.traced_time, formatting.outcome, formatting.work):
        describe(result)
    json.dumps(result.summary())


def _use_on_map(result: Result) -> None:
    from wayfront_gui.map.camera import Camera
    from wayfront_gui.map.frame import Frame
    from wayfront_gui.map.scene import Scene

    if result.network.coordinates is None:
        return
    scene = Scene.of_result(result)
    scene.set_route(result.route(result.farthest).nodes)
    assert scene.geometry is not None and result.trace is not None
    camera = Camera.fitting(scene.geometry.home, 64, 48)
    pixels = np.empty((camera.height, camera.width), np.uint32)
    for scene.mode in ("search", "tree"):
        for scene.step in (-1.0, 0.0, len(result.trace) / 2, len(result.trace) - 1.0):
            Frame.draw(scene.geometry, scene.drawing(camera), camera).paint(scene, pixels)
