"""The container of a trace file: a zip archive of NumPy arrays and a header in JSON. Nothing in it is executable.

The arrays are those of a trace (``trace.schema``) and of the result beside it, whose fields the caller names. Reading
checks all of them: names, dtypes, lengths against each other, ranges of values.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import SchemaError, TraceError
from wayfront.file_schema import ArrayField, check_arrays
from wayfront.files import write_whole
from wayfront.trace.schema import LABELS, NODES, TRACE_FIELDS, Trace

FORMAT = "wayfront trace 2"
SUFFIX = ".wftrace"

_LABEL_NAMES = "words"
"""Key of the label names in the header of format 2."""

Arrays = dict[str, NDArray[Any]]


def write_trace(path: str | Path, header: Mapping[str, Any], trace: Trace, others: Mapping[str, NDArray[Any]]) -> None:
    """Write a trace with a header of JSON values and further arrays. Raises ``WriteError``."""
    whole = {"format": FORMAT, **header, "stride": trace.stride, _LABEL_NAMES: trace.label_names}
    arrays = {field.name: getattr(trace, field.name) for field in TRACE_FIELDS} | dict(others)
    with write_whole(path) as file:
        np.savez_compressed(file, header=np.frombuffer(json.dumps(whole).encode(), np.uint8), **arrays)


def is_trace_file(path: str | Path) -> bool:
    """Return whether a file is a trace, from its content."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"header.npy", f"{TRACE_FIELDS[-1].name}.npy"} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def read_header(path: str | Path) -> dict[str, Any]:
    """Return the header of a trace file. Raises ``TraceError`` if it is not one."""
    return _read(Path(path), ())[0]


def read_trace(path: str | Path, node_count: int, others: Sequence[ArrayField]) -> tuple[dict[str, Any], Trace, Arrays]:
    """Return the header, the trace and the further arrays of a file, read-only and checked.

    Raises ``TraceError`` where the file is damaged or is not of a network with ``node_count`` nodes.
    """
    path, fields = Path(path), (*TRACE_FIELDS, *others)
    header, arrays = _read(path, tuple(field.name for field in fields))
    stride, names = header.get("stride"), header.get(_LABEL_NAMES)
    if not isinstance(stride, int) or stride < 1:
        raise TraceError(f"{path}: damaged: its stride is {stride!r}")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TraceError(f"{path}: damaged: its label names are no list of texts")
    try:
        check_arrays(arrays, fields, {NODES: node_count, LABELS: len(names)})
        _check_frontiers(arrays, stride)
    except SchemaError as problem:
        raise TraceError(f"{path}: damaged: {problem}") from None
    for array in arrays.values():
        array.flags.writeable = False
    trace = Trace(**{field.name: arrays[field.name] for field in TRACE_FIELDS}, stride=stride, label_names=tuple(names))
    return header, trace, {field.name: arrays[field.name] for field in others}


def _read(path: Path, names: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
    try:
        # The file is opened here, since np.load leaves it open when the archive turns out to be damaged.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            header = json.loads(archive["header"].tobytes().decode())
            arrays = {name: archive[name] for name in names}
    except FileNotFoundError:
        raise TraceError(f"{path}: there is no such file") from None
    except (OSError, ValueError, KeyError, EOFError, zlib.error, NotImplementedError, zipfile.error) as problem:
        raise TraceError(f"{path}: not a wayfront trace, or damaged ({problem})") from problem
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise TraceError(f"{path}: written by another version of wayfront; this one reads {FORMAT!r}")
    return cast("dict[str, Any]", header), arrays


def _check_frontiers(arrays: Arrays, stride: int) -> None:
    """Raise ``SchemaError`` unless frontiers are divided among steps as their sizes and the stride say."""
    if (np.diff(arrays["frontier_offsets"]) != -(-arrays["frontier_size"].astype(np.int64) // stride)).any():
        raise SchemaError("the sizes of its frontiers do not fit their nodes")
