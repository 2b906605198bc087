"""Take a network apart into named arrays and a description, and put it together again, for files that hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from wayfront.network.road_details import RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork


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
    arrays: dict[str, NDArray[Any]] = {
        "offsets": network.offsets,
        "targets": network.targets,
        "node_ids": network.node_ids,
    }
    if network.coordinates is not None:
        arrays["coordinates"] = network.coordinates
    if network.road_class is not None:
        arrays["road_class"] = network.road_class
    if network.road_names is not None:
        arrays["road_names"] = network.road_names.of_arc
        arrays["road_name_text"] = network.road_names.to_text()
    if network.shapes is not None:
        arrays["shape_offsets"] = network.shapes.offsets
        arrays["shape_points"] = network.shapes.points
    for index, metric in enumerate(network.metrics):
        arrays[_weights(index)] = metric.weights
    return description, arrays


def put_together(
    description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, trusted: bool, origin: str | None = None
) -> RoadNetwork:
    """Make the network of a description and its arrays, optionally under a new origin.

    ``trusted`` arrays are taken as checked, with their key (a checksum must have guarded them); others are
    checked again. Raises ``NetworkError``, and ``KeyError``, ``TypeError`` or ``ValueError`` where the
    description is not one that ``take_apart`` made.
    """
    return RoadNetwork.from_arrays(
        name=description["name"],
        offsets=arrays["offsets"],
        targets=arrays["targets"],
        metrics=[
            Metric(m["name"], m["unit"], m["scale"], arrays[_weights(index)])
            for index, m in enumerate(description["metrics"])
        ],
        node_ids=arrays["node_ids"],
        coordinates=arrays.get("coordinates"),
        road_class=arrays.get("road_class"),
        attribution=description["attribution"],
        origin=description["origin"] if origin is None else origin,
        content_key=description["content_key"] if trusted else "",
        road_names=RoadNames.from_text(arrays["road_name_text"], arrays["road_names"])
        if "road_names" in arrays
        else None,
        shapes=Shapes(arrays["shape_offsets"], arrays["shape_points"]) if "shape_offsets" in arrays else None,
        data_date=str(description.get("data_date", "")),
        notes=[str(note) for note in description.get("notes", [])],
    )


def _weights(index: int) -> str:
    return f"weights {index}"
