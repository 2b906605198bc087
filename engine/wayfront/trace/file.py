"""The container of a trace file: a zip archive of NumPy arrays and a header in JSON. Nothing in it is executable.

The arrays are those of a trace (``trace.schema``) and of the result beside it, whose fields the caller names. A trace
is made to be passed on, so nothing in one is believed: the archive's form (``trace.container``), the header, names,
dtypes, lengths against each other and memory are checked before an array is unpacked, and ranges of values after that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wayfront.network.conventions import SMALL
from wayfront.safe.errors import SchemaError, TraceError, WayfrontError
from wayfront.safe.files import open_regular, why_unread, write_whole
from wayfront.safe.memory import require_memory
from wayfront.safe.schema import (
    ArrayField,
    HeaderField,
    Layout,
    check_header,
)
from wayfront.safe.text import printable
from wayfront.trace.container import HEADER, PROBLEMS, START, ArrayArchive, write_arrays
from wayfront.trace.schema import (
    HELD_TITLES,
    LABELS,
    NODES,
    NOTED_FIELDS,
    PAIRS,
    SMALL_FIELDS,
    STEP_FIELDS,
    STEPS,
    TRACE_FIELDS,
    Trace,
)

FORMAT = "wayfront trace 2"
SUFFIX = ".wftrace"

LONGEST_HEADER = 16 << 20
"""Bytes of JSON; some searches give every step a reason with figures of its own, and each is a label name."""
_HEADER_GROWTH = 40
"""Bytes of memory that a byte of JSON takes at worst."""
MOST_KINDS = 64
"""Different modes, and phases, that the steps of one trace may have; algorithms declare a handful."""

_FIGURE = re.compile(r"[a-z][a-z0-9_]{0,49}")
"""What a figure of a later version may be called."""
_OF_TRACES = "last_improved"
"""An array that every trace has, and no other archive."""
_LABEL_NAMES = "words"
"""Key of the label names in the header of format 2."""
_HELD_NAMES = "held"
"""Key of the titles of what the search held; a title has no field in braces but its number."""
_OWN_FIELDS = (
    HeaderField("stride", (int,), lowest=1, highest=2**62),
    HeaderField(_LABEL_NAMES, (list,), longest=1 << 20, items=HeaderField("name", (str,), longest=500)),
    HeaderField(
        _HELD_NAMES,
        (list,),
        optional=True,
        default=(),
        longest=100,
        items=HeaderField("title", (str,), longest=100, pattern=r"([^{}]|\{number\})*"),
    ),
)

Arrays = dict[str, NDArray[Any]]
Header = dict[str, Any]


def write_trace(path: str | Path, header: Mapping[str, Any], trace: Trace, others: Mapping[str, NDArray[Any]]) -> None:
    """Write a trace with a header of JSON values and further arrays.

    Raises ``TraceError`` where the header is longer than one may be, and ``WriteError``.
    """
    whole = {"format": FORMAT, **header, "stride": trace.stride, _LABEL_NAMES: trace.label_names}
    whole[_HELD_NAMES] = trace.held_names
    if len(json.dumps(whole)) > LONGEST_HEADER:
        raise TraceError(f"{path}: a trace with {len(trace.label_names):,} labels cannot be saved: record fewer steps")
    with write_whole(path) as file:
        write_arrays(file, whole, {**others, **trace.arrays()})


def is_trace_file(path: str | Path) -> bool:
    """Return whether a file is a trace, from its content; what is no regular file is none."""
    try:
        with open_regular(path) as file:
            if file.read(len(START)) != START:
                return False
            return {HEADER, _OF_TRACES} <= ArrayArchive(file).names
    except (OSError, *PROBLEMS):
        return False


def read_header(path: str | Path) -> Header:
    """Return the header of a trace file, whose entries are not checked. Raises ``TraceError`` if it is not one."""
    with _opened(Path(path)) as (header, _):
        return header


def read_trace(
    path: str | Path, node_count: int, others: Sequence[ArrayField], check: Callable[[Header], None] = lambda _: None
) -> tuple[Header, Trace, Arrays]:
    """Return the header, the trace and the further arrays of a file, read-only and checked.

    ``check`` is called with the header before any array is unpacked, and raises ``SchemaError`` or ``TraceError`` to
    refuse it. Raises ``TraceError`` where the file is damaged or is not of a network with ``node_count`` nodes, and
    ``MemoryShortError``.
    """
    fields = (*TRACE_FIELDS, *others, *(SMALL_FIELDS if node_count <= SMALL else ()))
    with _opened(Path(path)) as (header, archive):
        check(header)
        own = check_header(header, _OWN_FIELDS)
        stride, names, titles = own["stride"], own[_LABEL_NAMES], own[_HELD_NAMES]
        known = {NODES: node_count, PAIRS: node_count**2, LABELS: len(names), HELD_TITLES: len(titles)}
        unknown = _unknown_figures(archive.layouts(archive.names - {HEADER}), fields)
        arrays, _ = archive.read_all((*fields, *unknown), known, path)
        _check_steps(arrays, stride)
    for array in arrays.values():
        array.flags.writeable = False
    further = {field.name: arrays.pop(field.name) for field in others}
    figures = {field.name: arrays.pop(field.name) for field in (*NOTED_FIELDS, *unknown) if field.name in arrays}
    label_names, held_names = tuple(map(printable, names)), tuple(map(printable, titles))
    trace = Trace(**arrays, figures=figures, stride=stride, label_names=label_names, held_names=held_names)
    return header, trace, further


def _unknown_figures(announced: Mapping[str, Layout], fields: Sequence[ArrayField]) -> tuple[ArrayField, ...]:
    """Return the figures of steps that this version does not know: a number a step."""
    steps, known = announced.get(STEP_FIELDS[0].name), {field.name for field in (*fields, *SMALL_FIELDS)}
    return tuple(
        ArrayField(name=name, dtypes=(layout.dtype.type,), counts=STEPS, lowest=None)
        for name, layout in announced.items()
        if name not in known and _FIGURE.fullmatch(name) and steps is not None and layout.shape == steps.shape
    )


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Header, ArrayArchive]]:
    """Yield the header and the archive of a trace file; what is wrong with it becomes a ``TraceError``, also later."""
    try:
        with open_regular(path) as file:
            archive = ArrayArchive(file)
            yield _header(archive, path), archive
    except SchemaError as problem:
        raise TraceError(f"{path}: not a wayfront trace, or damaged: {problem}") from None
    except OSError as problem:
        raise TraceError(f"{path}: {why_unread(problem)}") from None
    except WayfrontError:
        raise
    except PROBLEMS as problem:
        raise TraceError(f"{path}: not a wayfront trace, or damaged ({problem})") from None
    except MemoryError:
        raise TraceError(f"{path}: this machine has not enough memory for this trace") from None


def _header(archive: ArrayArchive, path: Path) -> Header:
    require_memory(_HEADER_GROWTH * min(archive.layouts([HEADER])[HEADER].nbytes, LONGEST_HEADER), path)
    header = archive.header(LONGEST_HEADER)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise TraceError(f"{path}: written by another version of wayfront; this one reads {FORMAT!r}")
    return cast("Header", header)


def _check_steps(arrays: Arrays, stride: int) -> None:
    """Raise ``SchemaError`` unless the figures of the steps fit each other and can be added up."""
    if (np.diff(arrays["frontier_offsets"]) != -(-arrays["frontier_size"].astype(np.int64) // stride)).any():
        raise SchemaError("the sizes of its frontiers do not fit their nodes")
    for name in ("relaxations", "improved", "time_ns"):
        if arrays[name].sum(dtype=np.float64) >= 2.0**62:
            raise SchemaError(f"{name}: the sum is beyond 64 bits")
    for name in ("tentative", "matrices"):
        if name in arrays and _rises(arrays[name]):
            raise SchemaError(f"{name}: a distance rises")
    for column in (0, 2):
        if len(np.unique(arrays["labels"][:, column])) > MOST_KINDS:
            raise SchemaError(f"labels: its steps have more than {MOST_KINDS} modes or phases")


def _rises(distances: NDArray[Any]) -> bool:
    """Return whether a distance of some row is larger than in the row before; ``NO_PATH`` is larger than any."""
    known = distances.view(np.dtype(f"u{distances.dtype.itemsize}"))
    return bool((known[1:] > known[:-1]).any())
