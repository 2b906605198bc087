"""Write the Overpass query for what lies round the roads of an area: places, water and parks."""

from __future__ import annotations

from wayfront.formats.osm.surroundings import ASKED


def surroundings_query(settings: str, area: str) -> str:
    """Return the query; ``settings`` begin it, and ``area`` is a list of latitudes and longitudes.

    One statement a key, and not one a tag as OSMnx would write, each with the whole outline of the area.
    """
    wanted = {key: "|".join(values) for key, values in ASKED.items()}
    places = f'node["place"~"^({wanted.pop("place")})$"]["name"](poly:{area!r});'
    areas = [
        f'{kind}["{key}"~"^({values})$"](poly:{area!r});'
        for key, values in wanted.items()
        for kind in ("way", "relation")
    ]
    return f"{settings};({places}{''.join(areas)});(._;>;);out;"
