"""Convert a network to named arrays and a JSON description and back, for the files that hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from wayfront.network.road_details import DETAILS
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ARRAY_FIELDS, arrays_of, weights_name


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
    """Make the network of a description and its arrays, optionally under a new origin.

    ``trusted`` arrays are taken as checked, with their key (a checksum must have guarded them); others are
    checked again. Raises ``NetworkError``, and ``KeyError``, ``TypeError`` or ``ValueError`` where the
    description is not one that ``take_apart`` made.
    """
    groups: dict[str, dict[str, NDArray[Any]]] = {}  # by the attribute of the network that holds them, "" for itself
    for field in ARRAY_FIELDS:
        if field.name in arrays:
            group, _, name = field.attribute.rpartition(".")
            groups.setdefault(group, {})[name] = arrays[field.name]
    held: dict[str, Any] = {name: DETAILS[name].from_arrays(**group) for name, group in groups.items() if name}
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
        data_date=str(description.get("data_date", "")),
        notes=[str(note) for note in description.get("notes", [])],
        **held,
    )
