"""Save a result with its trace, and load it again, so that a run on a GPU server can be replayed on a laptop.

The file (``trace.file``) names its network by content key and does not hold it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from wayfront.errors import CertificateError, NetworkError, OptionError, SchemaError, TraceError
from wayfront.file_schema import ArrayField, HeaderField, check_header
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, OptionValue
from wayfront.plain_text import printable
from wayfront.search.certificate import certify
from wayfront.search.recorded_network import RecordedNetwork, bare_origin
from wayfront.search.registry import Algorithm, find_algorithm
from wayfront.search.result import Result, Timing
from wayfront.trace.file import read_header, read_trace, write_trace
from wayfront.trace.schema import NODES, Trace
from wayfront.version import __version__

TREE_FIELDS = (
    ArrayField(name="distances", dtypes=(np.int32, np.int64), counts=NODES),
    ArrayField(name="parents", dtypes=(np.int32,), counts=NODES, lowest=-1, below=NODES),
)
"""The arrays of a result of one tree, as the file holds them."""

_MOST = 2**31 - 1
_LONGEST_MS = 1e12
_TEXT = HeaderField("text", (str,), longest=1000)
_MILLISECONDS = HeaderField("milliseconds", (float,), lowest=0, highest=_LONGEST_MS)
_NETWORK = HeaderField(
    "network",
    (dict,),
    fields=(
        HeaderField("name", (str,), longest=1000, file_name=True),
        HeaderField("content_key", (str,), longest=100),
        HeaderField("origin_name", (str,), optional=True, file_name=True),
        # The whole path of their writer, in older files.
        HeaderField("origin", (str,), optional=True, default="", file_name=True),
        HeaderField("reading", (str,), optional=True, longest=1000),
        HeaderField("nodes", (int,), lowest=0, highest=_MOST),
        HeaderField("arcs", (int,), lowest=0),
        HeaderField("metric", (str,), longest=1000),
    ),
)
HEADER_FIELDS = (
    HeaderField("kind", (str,), longest=100),
    _NETWORK,
    HeaderField("source", (int,)),
    HeaderField("algorithm", (str,), longest=100),
    HeaderField("options", (dict,), longest=100, items=HeaderField("value", (int, float, bool, str), longest=1000)),
    HeaderField("device", (str,), longest=100),
    HeaderField("device_name", (str,), longest=1000),
    HeaderField("steps", (int,), lowest=0),
    HeaderField("relaxations", (int,), lowest=0),
    HeaderField("note", (str,), optional=True, default="", longest=1000),
    HeaderField(
        "timing",
        (dict,),
        fields=(
            HeaderField("runs_ms", (list,), longest=1 << 20, items=_MILLISECONDS),
            HeaderField("transfer_ms", (float,), lowest=0, highest=_LONGEST_MS),
            HeaderField("tree_ms", (float,), lowest=0, highest=_LONGEST_MS),
            HeaderField("traced_ms", (float, NoneType), lowest=0, highest=_LONGEST_MS),
            HeaderField("machine", (dict,), longest=100, items=_TEXT),
        ),
    ),
)
"""The header of a result of one tree. Older files also say whether it was verified, which is not read."""


def save_trace(result: Result, path: str | Path) -> None:
    """Write a result and its trace; an older file of that name stays whole until the new one is complete.

    Raises ``TraceError`` if the result has no trace or is known to be wrong, and ``WriteError``.
    """
    if result.trace is None:
        raise TraceError("this result was computed without a trace; search again with a trace to save one")
    if result.verified is False:
        raise TraceError("this result is wrong, and no file of it would open again; choose another option and search")
    network, timing = result.network, result.timing
    header = {
        "wayfront": __version__,
        "kind": result.kind.value,
        "network": {
            "name": network.name,
            "content_key": network.content_key,
            "origin_name": bare_origin(network.origin),
            "reading": network.reading,
            "nodes": network.node_count,
            "arcs": network.arc_count,
            "metric": result.metric.name,
        },
        "source": int(network.node_ids[result.source]),
        "algorithm": result.algorithm,
        "options": dict(result.options),
        "device": result.device,
        "device_name": result.device_name,
        "steps": result.steps,
        "relaxations": result.relaxations,
        "note": result.note,
        "timing": {
            "runs_ms": timing.runs_ms,
            "transfer_ms": timing.transfer_ms,
            "tree_ms": timing.tree_ms,
            "traced_ms": timing.traced_ms,
            "machine": dict(timing.machine),
        },
    }
    write_trace(path, header, result.trace, {field.name: getattr(result, field.name) for field in TREE_FIELDS})


def load_trace(path: str | Path, network: RoadNetwork) -> Result:
    """Return the result and trace of a file, over the network it was recorded on.

    Nothing in the file is believed: header and arrays are checked against their declarations and each other, and the
    result is proved right (``certificate``), whatever the file says of that. Raises ``TraceError`` where any of this
    fails or the search is another network's or of an unknown kind, and ``MemoryShortError``.
    """
    path = Path(path)

    def check(header: dict[str, Any]) -> None:
        recorded = _network_entry(header)
        if recorded.content_key != network.content_key:
            raise TraceError(
                f"{path} was recorded on {recorded.describe()}, and {network.name} is not that network; "
                "open that one first"
            )
        if (kind := check_header(header, HEADER_FIELDS[:1])["kind"]) != Result.kind:
            raise TraceError(f"{path} is of a search that finds {kind!r}, which this version cannot show: update it")

    header, trace, arrays = read_trace(path, network.node_count, TREE_FIELDS, check)
    try:
        result = _result(check_header(header, HEADER_FIELDS), network, trace, arrays)
        _check_against_trace(result, trace)
        certify(result)
    except (SchemaError, NetworkError, OptionError, CertificateError) as problem:
        raise TraceError(f"{path}: damaged: {problem}") from None
    return replace(result, verified=True)


def read_network_entry(path: str | Path) -> RecordedNetwork:
    """Return what a trace says of its network. Raises ``TraceError`` where it is damaged or no trace."""
    try:
        return _network_entry(read_header(path))
    except SchemaError as problem:
        raise TraceError(f"{path}: damaged: {problem}") from None


def _network_entry(header: dict[str, Any]) -> RecordedNetwork:
    """Return what a header says of its network. Raises ``SchemaError``."""
    entry = check_header(header, (_NETWORK,))["network"]
    origin = entry.pop("origin")
    name = entry.pop("origin_name")
    return RecordedNetwork(**entry, origin_name=bare_origin(origin if name is None else name))


def _result(header: dict[str, Any], network: RoadNetwork, trace: Trace, arrays: dict[str, Any]) -> Result:
    """Return the result of a checked header. Raises ``SchemaError``, ``NetworkError`` and ``OptionError``."""
    declared = find_algorithm(header["algorithm"])
    if declared.kind is not Result.kind:
        raise SchemaError(f"{declared.name} finds {declared.kind}, not {Result.kind}")
    return Result(
        network=network,
        metric=network.metric(header["network"]["metric"]),
        source=network.node(header["source"]),
        algorithm=declared.name,
        options=_with_auto(declared, header["options"]),
        device=printable(header["device"]),
        device_name=printable(header["device_name"]),
        steps=header["steps"],
        relaxations=header["relaxations"],
        timing=Timing(**{**header["timing"], "runs_ms": tuple(header["timing"]["runs_ms"])}),
        trace=trace,
        note=printable(header["note"]),
        **arrays,
    )


def _check_against_trace(result: Result, trace: Trace) -> None:
    """Raise ``SchemaError`` where header, tree and trace contradict each other."""
    reached, first, last = result.reached, trace.first_reached, trace.last_improved
    if result.steps != len(trace) or result.relaxations != int(trace.relaxations.sum()):
        raise SchemaError("its steps or relaxations are not those of its header")
    if ((first >= 0) != reached).any() or ((last >= 0) != reached).any() or (last < first).any():
        raise SchemaError("the steps that reached nodes are not those of the nodes with a distance")
    if first[result.source] != 0:
        raise SchemaError("its first step did not begin at the source")


def _with_auto(algorithm: Algorithm, values: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Return option values in their types, with ``AUTO`` for numbers out of bounds, which stood for it in older files.

    Values of options that this version does not have are kept. Raises ``OptionError`` for any other value.
    """
    current = dict(values)
    for option in algorithm.options:
        if option.name not in current:
            continue
        try:
            current[option.name] = option.parse(current[option.name])
        except OptionError:
            if not option.automatic:
                raise
            current[option.name] = AUTO
    return current
