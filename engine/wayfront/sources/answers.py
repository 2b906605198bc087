"""Check what OpenStreetMap's services send before anything is made of it: types, sizes, positions and texts.

The servers are strangers, and ``WAYFRONT_NOMINATIM`` and ``WAYFRONT_OVERPASS`` may name any. What is wrong raises
``ValueError`` here, which becomes a ``DownloadError`` with the server's name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wayfront.plain_text import printable

_LONGEST_NAME = 200
_MOST_POINTS = 1_000_000
"""Most points of a place's outline; the most of any real one are a tenth of that."""
_SHORTEST_RING = 4


def checked_places(records: Any) -> list[dict[str, Any]]:
    """Return the geocoder's records that are places, with printable names; others are left out.

    An outline that is no polygon on the Earth is left out, too. Raises ``ValueError`` where nothing is a place.
    """
    if not isinstance(records, list):
        raise ValueError("it is no list")  # noqa: TRY004 - wrong content, not a wrong call
    places = []
    for record in records:
        try:
            places.append(_place(record))
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
    if records and not places:
        raise ValueError("nothing in it is a place")
    return places


def checked_pieces(pieces: Iterable[Any]) -> list[dict[str, Any]]:
    """Return Overpass answers whose elements are objects. Raises ``ValueError``."""
    checked = list(pieces)
    for piece in checked:
        if not (isinstance(piece, dict) and isinstance(piece.get("osm3s", {}), dict)):
            raise ValueError("it is no answer of an Overpass server")  # noqa: TRY004
        elements = piece.get("elements", [])
        if not (isinstance(elements, list) and all(map(_is_element, elements))):
            raise ValueError("its elements are none")
    return checked


def _is_element(element: Any) -> bool:
    return isinstance(element, dict) and isinstance(element.get("type"), str) and type(element.get("id")) is int


def _place(record: Any) -> dict[str, Any]:
    longitude, latitude = _position((record["lon"], record["lat"]))
    south, north, west, east = (float(value) for value in record["boundingbox"])
    if not (
        isinstance(record["boundingbox"], list)
        and _position((west, south)) <= _position((east, north))
        and south <= north
    ):
        raise ValueError
    name = _text(record["display_name"])
    if not name:
        raise ValueError
    return {
        "osm_type": _text(record.get("osm_type")),
        "osm_id": _text(record.get("osm_id")),
        "display_name": name,
        "name": _text(record.get("name")),
        "addresstype": _text(record.get("addresstype")),
        "type": _text(record.get("type")),
        "lon": longitude,
        "lat": latitude,
        "boundingbox": [south, north, west, east],
        "geojson": _outline(record.get("geojson")),
    }


def _text(value: Any) -> str:
    return printable(str(value)[:_LONGEST_NAME]) if isinstance(value, str | int) else ""


def _position(pair: Any) -> tuple[float, float]:
    """Return longitude and latitude. Raises ``ValueError`` where they are not on the Earth."""
    longitude, latitude = float(pair[0]), float(pair[1])
    if not (abs(longitude) <= 180 and abs(latitude) <= 90):  # false for no number, too
        raise ValueError
    return longitude, latitude


def _outline(shape: Any) -> dict[str, Any] | None:
    """Return a polygon or several, None for any other shape and for one that cannot be."""
    if not isinstance(shape, dict) or shape.get("type") not in ("Polygon", "MultiPolygon"):
        return None
    several = shape["type"] == "MultiPolygon"
    try:
        polygons = [_rings(rings) for rings in (shape["coordinates"] if several else [shape["coordinates"]])]
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return None
    if not polygons or sum(len(ring) for rings in polygons for ring in rings) > _MOST_POINTS:
        return None
    return {"type": shape["type"], "coordinates": polygons if several else polygons[0]}


def _rings(rings: Any) -> list[list[tuple[float, float]]]:
    checked = [[_position(point) for point in ring] for ring in rings]
    if not checked or any(len(ring) < _SHORTEST_RING for ring in checked):
        raise ValueError
    return checked
