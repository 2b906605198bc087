"""Save a result with its trace, and load it again, so that a run on a GPU server can be replayed on a laptop.

The file (``trace.file``) names its network by content key and does not hold it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wayfront.errors import OptionError, TraceError
from wayfront.file_schema import ArrayField
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, OptionValue
from wayfront.search.recorded_network import RecordedNetwork, bare_origin
from wayfront.search.registry import algorithms
from wayfront.search.result import Result, Timing
from wayfront.trace.file import read_header, read_trace, write_trace
from wayfront.trace.schema import NODES
from wayfront.version import __version__

TREE_FIELDS = (
    ArrayField(name="distances", dtypes=(np.int32, np.int64), counts=NODES),
    ArrayField(name="parents", dtypes=(np.int32,), counts=NODES, lowest=-1, below=NODES),
)
"""The arrays of a result of one tree, as the file holds them."""


def save_trace(result: Result, path: str | Path) -> None:
    """Write a result and its trace; an older file of that name stays whole until the new one is complete.

    Raises ``TraceError`` if the result has no trace, and ``WriteError``.
    """
    if result.trace is None:
        raise TraceError("this result was computed without a trace; search again with a trace to save one")
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
        "verified": result.verified,
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

    Raises ``TraceError`` where the file is damaged, or was recorded on another network.
    """
    path = Path(path)
    recorded = read_network_entry(path)
    if recorded.content_key != network.content_key:
        raise TraceError(
            f"{path} was recorded on {recorded.describe()}, and {network.name} is not that network; open that one first"
        )
    header, trace, arrays = read_trace(path, network.node_count, TREE_FIELDS)
    try:
        timing = header["timing"]
        return Result(
            network=network,
            metric=network.metric(recorded.metric),
            source=network.node(int(header["source"])),
            algorithm=header["algorithm"],
            options=_with_auto(header["algorithm"], header["options"]),
            device=header["device"],
            device_name=header["device_name"],
            steps=int(header["steps"]),
            relaxations=int(header["relaxations"]),
            timing=Timing(
                tuple(timing["runs_ms"]),
                timing["transfer_ms"],
                timing["tree_ms"],
                timing["traced_ms"],
                timing["machine"],
            ),
            trace=trace,
            verified=header["verified"],
            note=str(header.get("note", "")),
            **arrays,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise TraceError(f"{path}: damaged: its header lacks or misstates something ({problem})") from problem


def read_network_entry(path: str | Path) -> RecordedNetwork:
    """Return what a trace says of its network. Raises ``TraceError`` where it is damaged or no trace."""
    recorded = read_header(path).get("network")
    expected = {"name": str, "content_key": str, "metric": str, "nodes": int, "arcs": int}
    if not isinstance(recorded, dict) or not all(isinstance(recorded.get(key), of) for key, of in expected.items()):
        raise TraceError(f"{path}: damaged: its header does not name its network")
    # Older files have the whole path of their writer under "origin".
    origin, reading = recorded.get("origin_name", recorded.get("origin", "")), recorded.get("reading", "")
    if not isinstance(origin, str) or not isinstance(reading, str):
        raise TraceError(f"{path}: damaged: its header does not name its network")
    return RecordedNetwork(**{key: recorded[key] for key in expected}, origin_name=bare_origin(origin), reading=reading)


def _with_auto(algorithm: str, values: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Return option values with ``AUTO`` for the numbers out of bounds that stood for it in older files."""
    declared = {o.name: o for a in algorithms() if a.name == algorithm for o in a.options if o.automatic}
    current = dict(values)
    for name in declared.keys() & current.keys():
        try:
            declared[name].parse(current[name])
        except OptionError:
            current[name] = AUTO
    return current
