"""Convert a network to named arrays and a JSON header and back, for the files that hold it.

Both files of networks (``.wayfront`` and the cache) begin alike:

    magic, version (uint32), size of the header (uint32), checksum of the header (uint32)
    the header (JSON) that ``header_of`` makes

Each adds entries of its own to the header's table of arrays. ``read_header`` checks all of it before any array is used.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.details import DETAILS, NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import (
    ARRAY_FIELDS,
    NODES,
    WEIGHTS_DTYPES,
    arrays_of,
    check_node_count,
    network_fields,
    weights_name,
)
from wayfront.safe.errors import FormatError, SchemaError
from wayfront.safe.schema import LONGEST_HEADER, HeaderField, Layout, check_header, check_layout, parse_header

CONTENT_KEY = "[0-9a-f]{32}"
"""What a content key looks like; cached networks have it in their file's name."""

_START = struct.Struct("<8sIII")

_METRIC = HeaderField(
    "metric", (dict,), fields=(HeaderField("name", (str,)), HeaderField("unit", (str,)), HeaderField("scale", (float,)))
)
_DESCRIPTION = HeaderField(
    "network",
    (dict,),
    fields=(
        HeaderField("name", (str,), file_name=True),
        HeaderField("attribution", (str,)),
        HeaderField("origin", (str,), file_name=True),
        HeaderField("content_key", (str,), pattern=CONTENT_KEY),
        HeaderField("data_date", (str,), optional=True, default=""),
        HeaderField("notes", (list,), items=HeaderField("note", (str,), file_name=True), optional=True, default=()),
        HeaderField("metrics", (list,), items=_METRIC, longest=1000),
    ),
)
_GROUPS: dict[str, Any] = {**DETAILS, "node_names": NodeNames}
_DTYPES = {np.dtype(t).str: np.dtype(t) for t in (*WEIGHTS_DTYPES, *(t for f in ARRAY_FIELDS for t in f.dtypes))}


@dataclass(frozen=True, slots=True)
class NetworkHeader:
    """The header of a file with a network, checked.

    description  what ``put_together`` takes
    table        the entry of each array, in the file's order
    layouts      dtype and shape of each array by name, in the file's order
    sizes        numbers of nodes, arcs and so on
    """

    description: dict[str, Any]
    table: list[dict[str, Any]]
    layouts: dict[str, Layout]
    sizes: dict[str, int]


def take_apart(network: RoadNetwork) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return (description, arrays): all that defines the network; the description is plain JSON."""
    description = {
        "name": network.name,
        "attribution": network.attribution,
        "origin": network.origin,
        "content_key": network.content_key,
        "data_date": network.data_date,
        "notes": list(network.notes),
        "metrics": [{"name": m.name, "unit": m.unit, "scale": m.scale} for m in network.metrics],
    }
    weights = {weights_name(index): metric.weights for index, metric in enumerate(network.metrics)}
    return description, arrays_of(network) | weights


def put_together(
    description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, trusted: bool, origin: str | None = None
) -> RoadNetwork:
    """Make the network of a checked description and its arrays, optionally under a new origin.

    The arrays are checked; ``trusted`` takes the key that the description states as theirs instead of computing it.
    Raises ``NetworkError``, and ``ValueError`` for names that are no UTF-8.
    """
    groups: dict[str, dict[str, NDArray[Any]]] = {}  # by the attribute of the network that holds them, "" for itself
    for field in ARRAY_FIELDS:
        if field.name in arrays:
            group, _, name = field.attribute.rpartition(".")
            groups.setdefault(group, {})[name] = arrays[field.name]
    held: dict[str, Any] = {name: _GROUPS[name].from_arrays(**group) for name, group in groups.items() if name}
    held |= groups[""]
    return RoadNetwork.from_arrays(
        name=description["name"],
        metrics=[
            Metric(m["name"], m["unit"], m["scale"], arrays[weights_name(index)])
            for index, m in enumerate(description["metrics"])
        ],
        attribution=description["attribution"],
        origin=description["origin"] if origin is None else origin,
        content_key=description["content_key"] if trusted else "",
        data_date=description["data_date"],
        notes=description["notes"],
        **held,
    )


def header_of(
    description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], entries: Iterable[Mapping[str, Any]]
) -> bytes:
    """Return the header in JSON: the description, and a table of the arrays with an entry of the file's own of each."""
    return json.dumps({"network": description, "arrays": table_of(arrays, entries)}).encode()


def table_of(arrays: Mapping[str, NDArray[Any]], entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what a header says of arrays: of each its name, dtype and shape, and an entry of the file's own."""
    described = zip(arrays.items(), entries, strict=True)
    return [{"name": name, "dtype": a.dtype.str, "shape": a.shape, **entry} for (name, a), entry in described]


def array_entry(*more: HeaderField) -> HeaderField:
    """Return what a header says of an array: its name, dtype and shape, and ``more`` that a file adds."""
    return HeaderField(
        "array",
        (dict,),
        fields=(
            HeaderField("name", (str,)),
            HeaderField("dtype", (str,)),
            HeaderField("shape", (list,), items=HeaderField("rows", (int,), lowest=0), longest=2),
            *more,
        ),
    )


def start_of(magic: bytes, version: int, header: bytes) -> bytes:
    """Return what a file begins with, its header included."""
    return _START.pack(magic, version, len(header), zlib.crc32(header)) + header


def read_start(file: IO[bytes], magic: bytes, version: int, path: Path) -> bytes:
    """Return the header, and leave the file at what follows. Raises ``FormatError``."""
    start = file.read(_START.size)
    if not start.startswith(magic):
        raise FormatError("this is not a .wayfront file", path)
    if len(start) < _START.size:
        raise FormatError("the file is cut off: get it again", path)
    _, its_version, header_bytes, checksum = _START.unpack(start)
    if its_version != version:
        raise FormatError(f"the file has version {its_version}, this program reads version {version}: update it", path)
    header = file.read(min(header_bytes, LONGEST_HEADER + 1))
    if len(header) <= LONGEST_HEADER and zlib.crc32(header) != checksum:
        raise FormatError("the file is damaged (its header is not what was saved): get it again", path)
    return header


def read_header(header: bytes, of_array: Sequence[HeaderField]) -> NetworkHeader:
    """Return the header of a file with a network; ``of_array`` are the entries that file adds to those of an array.

    Everything that can be said without the arrays' values is checked. Raises ``SchemaError`` and ``NetworkError``.
    """
    entry = array_entry(*of_array)
    checked = check_header(parse_header(header), (_DESCRIPTION, HeaderField("arrays", (list,), items=entry)))
    description, table = checked["network"], checked["arrays"]
    names = [metric["name"] for metric in description["metrics"]]
    layouts = layouts_of(table, _DTYPES)
    sizes = check_layout(layouts, network_fields(names))
    check_node_count(sizes[NODES])
    return NetworkHeader(description, table, layouts, sizes)


def layouts_of(table: list[dict[str, Any]], dtypes: Mapping[str, np.dtype[Any]]) -> dict[str, Layout]:
    """Return the layout of each array in a table, in its order; ``dtypes`` are those that it may have, by name."""
    layouts: dict[str, Layout] = {}
    for entry in table:
        if entry["dtype"] not in dtypes:  # never handed to NumPy, which would make any type of a text
            raise SchemaError(f"an array of type {entry['dtype'][:20]!a}, which no network has")
        if entry["name"] in layouts:
            raise SchemaError("two arrays have the same name")
        layouts[entry["name"]] = Layout(dtypes[entry["dtype"]], tuple(entry["shape"]))
    return layouts
