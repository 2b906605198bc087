"""Take trace files apart and put them together again, well or badly formed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADER = "header.npy"


def members_of(path: Path) -> dict[str, bytes]:
    """Return the members of a trace by name, unpacked."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(members: Mapping[str, bytes]) -> bytes:
    """Return the archive of members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def array_bytes(array: NDArray[Any], *, pickled: bool = False) -> bytes:
    """Return an array as a member holds it."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=pickled)
    return file.getvalue()


def header_bytes(text: bytes | str) -> bytes:
    """Return the text of a header as its member holds it."""
    return array_bytes(np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8))


def header_of(members: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the header among members."""
    header: dict[str, Any] = json.loads(np.load(io.BytesIO(members[HEADER])).tobytes())
    return header


def replace_members(path: Path, **members: bytes) -> None:
    """Replace members of a trace file, by their names without the suffix."""
    path.write_bytes(pack(members_of(path) | {f"{name}.npy": data for name, data in members.items()}))


def change_header(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Let ``change`` alter the header of a trace file."""
    header = header_of(members_of(path))
    change(header)
    replace_members(path, header=header_bytes(json.dumps(header)))
