"""Segments of marching squares as the lines that they make together. No Qt.

Every segment leads on to the one that begins where it ends, with what is inside on its right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DECIMALS = 3
"""Points nearer to each other than a millimetre are one."""

Float = NDArray[np.float64]


def next_segments(segments: Float) -> NDArray[np.int64]:
    """Return the segment that begins where each ends, int64 [k], -1 for the last one of a line that is not closed.

    ``segments`` [k, 4] are x, y, x, y in metres.
    """
    points = np.round(segments.reshape(-1, 2), _DECIMALS)
    found, point = np.unique(points, axis=0, return_inverse=True)
    begun_at = np.full(len(found), -1, np.int64)
    point = point.reshape(-1, 2)
    begun_at[point[:, 0]] = np.arange(len(segments))
    return begun_at[point[:, 1]]


def without_short_lines(segments: Float, least: float) -> Float:
    """Return the segments of lines that are at least so many metres long in all."""
    onward, count = next_segments(segments), len(segments)
    itself = np.arange(count)
    leads, line = np.where(onward < 0, itself, onward), itself
    for _ in range(count.bit_length()):  # each round looks twice as far along the line
        line, leads = np.minimum(line, line[leads]), leads[leads]
    line = np.where(onward[leads] < 0, leads, line)  # named by its last segment; a closed one by its least
    lengths = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    return segments[np.bincount(line, lengths, count)[line] >= least]


def polygons(segments: Float) -> list[list[Float]]:
    """Return the areas that closed lines border, each as its outer ring and its holes, float64 [p, 2] each.

    Rings end with the point that they begin with; outer ones run counterclockwise and holes clockwise, as RFC 7946
    wants them. Each hole belongs to the smallest outer ring round it.
    """
    rings = _rings(segments)
    areas = [_area(ring) for ring in rings]
    outer = sorted((i for i, area in enumerate(areas) if area > 0), key=lambda i: areas[i])
    found = {i: [rings[i]] for i in reversed(outer)}
    for hole in (i for i, area in enumerate(areas) if area < 0):
        around = next((i for i in outer if areas[i] > -areas[hole] and _contains(rings[i], rings[hole][0])), None)
        if around is not None:
            found[around].append(rings[hole])
    return list(found.values())


def _rings(segments: Float) -> list[Float]:
    """Return each closed line the other way round: what is inside is on its left then."""
    onward, seen, rings = next_segments(segments).tolist(), np.zeros(len(segments), bool), []
    for first in range(len(segments)):
        walked, here = [], first
        while here >= 0 and not seen[here]:
            seen[here] = True
            walked.append(here)
            here = onward[here]
        if walked and here == first:
            points = segments[walked, :2][::-1]
            rings.append(np.concatenate([points, points[:1]]))
    return rings


def _area(ring: Float) -> float:
    """Return the area of a ring, negative if it runs clockwise."""
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2)


def _contains(ring: Float, point: Float) -> bool:
    """Return whether a point is within a ring: a ray from it crosses an odd number of sides."""
    x0, y0, x1, y1 = ring[:-1, 0], ring[:-1, 1], ring[1:, 0], ring[1:, 1]
    crosses = (y0 > point[1]) != (y1 > point[1])
    at = x0[crosses] + (point[1] - y0[crosses]) / (y1 - y0)[crosses] * (x1 - x0)[crosses]
    return bool((at > point[0]).sum() % 2)
