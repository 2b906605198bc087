"""Layers of what GDAL reads, as arrays: geometry as Shapely's, and a column for each field."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.exporting import import_interop
from wayfront.safe.errors import FormatError
from wayfront.safe.text import printable


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A layer: its features' ids int64 [k], geometry [k] or None for a table, columns, and reference system or None."""

    ids: NDArray[np.int64]
    geometry: NDArray[np.object_] | None
    columns: dict[str, NDArray[Any]]
    crs: str | None


def list_layers(path: Path) -> dict[str, str]:
    """Return the layers of a file with the kinds of their geometry, "" for a table without.

    Raises ``FormatError``, and ``MissingPackageError`` without the extra ``interop``.
    """
    pyogrio = import_interop("pyogrio")
    found = _read(path, lambda: pyogrio.list_layers(path))
    return {str(name): str(kind or "").partition(" ")[0] for name, kind in found.tolist()}


def list_columns(path: Path, layer: str) -> list[str]:
    """Return the names of a layer's fields. Raises what ``list_layers`` raises."""
    pyogrio = import_interop("pyogrio")
    return [str(name) for name in _read(path, lambda: pyogrio.read_info(path, layer=layer))["fields"]]


def read_layer(path: Path, layer: str, columns: Sequence[str] | None = None) -> Layer:
    """Return a layer with some of its columns, or all, in two dimensions. Raises what ``list_layers`` raises."""
    pyogrio, shapely = import_interop("pyogrio"), import_interop("shapely")
    chosen = None if columns is None else list(columns)

    def read() -> Layer:
        meta, ids, shapes, values = pyogrio.raw.read(path, layer=layer, columns=chosen, force_2d=True, return_fids=True)
        geometry = None if shapes is None else shapely.from_wkb(shapes)
        return Layer(ids, geometry, dict(zip(meta["fields"].tolist(), values, strict=True)), meta["crs"])

    found: Layer = _read(path, read)
    return found


def _read(path: Path, read: Callable[[], Any]) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a stranger's file GDAL remarks on much that it reads all the same
            return read()
    except Exception as problem:  # whatever a damaged file makes GDAL raise
        raise FormatError(f"it cannot be read: {printable(str(problem))}", path) from None
