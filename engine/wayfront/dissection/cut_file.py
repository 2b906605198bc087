"""Keep a cut in a file that can travel: a zip archive of three NumPy arrays and a header in JSON.

Only the tree of cells and the order of the nodes are in it. Borders are found again when it is read, which at the same
time proves the cut to be one of the network at hand, so nothing in the file is believed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.borders import complete
from wayfront.dissection.shape import Dissection, shape_key
from wayfront.errors import FormatError, SchemaError
from wayfront.file_schema import (
    ArrayField,
    HeaderField,
    announced_bytes,
    check_header,
    check_layout,
    check_values,
    parse_header,
)
from wayfront.files import open_regular, write_whole
from wayfront.memory import require_memory
from wayfront.network.road_network import RoadNetwork
from wayfront.trace.container import ArrayArchive, damage_explained

FORMAT = "wayfront cut 1"
SUFFIX = ".cut"
METHODS = ("kahip", "coordinates")

_HEADER = "header"
_LONGEST_HEADER = 1 << 12
_FIELDS = (
    ArrayField(name="parent", dtypes=(np.int32,), counts="cells", lowest=-1, below="cells"),
    ArrayField(name="offsets", dtypes=(np.int32,), counts="cells", more=1, rises_to="nodes"),
    ArrayField(name="node_at", dtypes=(np.int32,), counts="nodes", below="nodes", distinct=True),
)
_HEADER_FIELDS = (
    HeaderField("format", (str,), pattern=FORMAT),
    HeaderField("key", (str,), pattern="[0-9a-f]{32}"),
    HeaderField("method", (str,), pattern="|".join(METHODS)),
    HeaderField("cut_ms", (float,), lowest=0),
)


def save_cut(path: str | Path, cells: Dissection) -> None:
    """Write a cut to a file, whole or not at all. Raises ``WriteError``."""
    header = {"format": FORMAT, "key": cells.key, "method": cells.method, "cut_ms": cells.cut_ms}
    arrays: dict[str, Any] = {_HEADER: np.frombuffer(json.dumps(header).encode(), np.uint8)}
    arrays |= {field.name: getattr(cells, field.name) for field in _FIELDS}
    with write_whole(path) as file:
        np.savez_compressed(file, **arrays)


def load_cut(path: str | Path, network: RoadNetwork) -> Dissection:
    """Return the cut in a file, with the borders that the network gives it.

    Raises ``FormatError`` where the file is damaged or none of this network, and ``MemoryShortError``.
    """
    path = Path(path)
    with damage_explained(path, "delete it, and cut the network again"):
        header, arrays = _read(path, network)
        method, cut_ms = header["method"], header["cut_ms"]
        return complete(network, arrays["parent"], arrays["offsets"], arrays["node_at"], method, cut_ms)


def _read(path: Path, network: RoadNetwork) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays, checked by themselves. Raises what ``load_cut`` explains."""
    with open_regular(path) as file:
        archive = ArrayArchive(file)
        layout = archive.layouts((_HEADER,))[_HEADER]
        if layout.dtype != np.uint8 or len(layout.shape) != 1 or layout.nbytes > _LONGEST_HEADER:
            raise SchemaError("its header is none of a cut")
        header = check_header(parse_header(archive.read(_HEADER).tobytes(), _LONGEST_HEADER), _HEADER_FIELDS)
        if header["key"] != shape_key(network):
            raise FormatError(f"it is the cut of another network, not of {network.name}: cut this one anew", path)
        names = archive.names - {_HEADER}
        layouts = archive.layouts(names)
        sizes = check_layout(layouts, _FIELDS, {"nodes": network.node_count})
        if sizes["cells"] > 2 * network.node_count + 1:
            raise SchemaError(f"{sizes['cells']:,} cells for {network.node_count:,} nodes")
        require_memory(announced_bytes(layouts), path)
        arrays = {name: archive.read(name) for name in names}
        check_values(arrays, _FIELDS, sizes)
    return header, arrays
