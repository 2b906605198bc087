"""One file that holds a result with its trace, so that a run on a GPU server can be replayed on a laptop.

The file is a zip archive of NumPy arrays and one JSON text; it names the network by its content key and does not
hold it. Nothing in it is executable.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import TraceError
from wayfront.files import write_whole
from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result, Timing
from wayfront.trace.recorder import ARRAY_FIELDS, Trace
from wayfront.version import __version__

FORMAT = "wayfront trace 2"
SUFFIX = ".wftrace"


def save_trace(result: Result, path: str | Path) -> None:
    """Write a result and its trace; an older file of that name stays whole until the new one is complete.

    Raises ``TraceError`` if the result has no trace, and ``WriteError``.
    """
    if result.trace is None:
        raise TraceError("this result was computed without a trace; search again with a trace to save one")
    trace, network = result.trace, result.network
    header = {
        "format": FORMAT,
        "wayfront": __version__,
        "network": {
            "name": network.name,
            "content_key": network.content_key,
            "origin": network.origin,
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
        "timing": {
            "runs_ms": result.timing.runs_ms,
            "transfer_ms": result.timing.transfer_ms,
            "tree_ms": result.timing.tree_ms,
            "traced_ms": result.timing.traced_ms,
            "machine": dict(result.timing.machine),
        },
        "stride": trace.stride,
        "words": trace.words,
    }
    arrays = {name: getattr(trace, name) for name in ARRAY_FIELDS}
    arrays |= {"distances": result.distances, "parents": result.parents}
    with write_whole(path) as file:
        np.savez_compressed(file, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)


def is_trace_file(path: str | Path) -> bool:
    """Tell whether a file is a trace, from its content."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"header.npy", "first_reached.npy"} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def read_header(path: str | Path) -> dict[str, Any]:
    """Return what a trace file says of itself. Raises ``TraceError`` if it is not one."""
    return _read(Path(path), only_header=True)[0]


def load_trace(path: str | Path, network: RoadNetwork) -> Result:
    """Read a result and its trace for the network it was recorded on.

    Raises ``TraceError`` if the file is damaged or belongs to another network.
    """
    path = Path(path)
    header, arrays = _read(path, only_header=False)
    told = header["network"]
    if told["content_key"] != network.content_key:
        raise TraceError(
            f"{path} was recorded on {told['name']} ({told['nodes']:,} nodes, {told['arcs']:,} arcs, "
            f"from {told['origin'] or 'memory'}), and {network.name} is not that network; open that one first"
        )
    _check_shapes(path, arrays, network)
    trace = Trace(
        **{name: arrays[name] for name in ARRAY_FIELDS}, stride=int(header["stride"]), words=tuple(header["words"])
    )
    timing = header["timing"]
    return Result(
        network=network,
        metric=network.metric(told["metric"]),
        source=network.node(int(header["source"])),
        algorithm=header["algorithm"],
        options=header["options"],
        device=header["device"],
        device_name=header["device_name"],
        distances=arrays["distances"],
        parents=arrays["parents"],
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
    )


def _read(path: Path, *, only_header: bool) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    names = () if only_header else (*ARRAY_FIELDS, "distances", "parents")
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
    for array in arrays.values():
        array.flags.writeable = False
    return cast("dict[str, Any]", header), arrays


def _check_shapes(path: Path, arrays: dict[str, NDArray[Any]], network: RoadNetwork) -> None:
    n, steps = network.node_count, len(arrays["frontier_size"])
    whole = all(len(arrays[name]) == n for name in ("first_reached", "last_improved", "distances", "parents"))
    per_step = (
        "relaxations",
        "improved",
        "time_ns",
        "bucket",
        "bucket_low",
        "bucket_high",
        "queue",
        "settled",
        "labels",
    )
    whole &= all(len(arrays[name]) == steps for name in per_step)
    offsets, nodes = arrays["frontier_offsets"], arrays["frontier_nodes"]
    whole &= len(offsets) == steps + 1 and int(offsets[-1]) == len(nodes)
    if not whole or (len(nodes) and not (int(nodes.min()) >= 0 and int(nodes.max()) < n)):
        raise TraceError(f"{path}: damaged: its arrays do not fit together")
