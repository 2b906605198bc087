"""Bodies that read a search's frontier and compare distances. Only traced runs launch them, ``fill`` apart."""

from __future__ import annotations

from wayfront.devices.atomics import atomic_add
from wayfront.devices.device import DeviceArray


def fill(i: int, array: DeviceArray, value: int) -> None:
    """Set every element to one value."""
    array[i] = value


def reset_steps(
    i: int, source: int, infinity: int, seen: DeviceArray, first_reached: DeviceArray, last_improved: DeviceArray
) -> None:
    """Reset what is known of each node: only the source is reached, at step 0."""
    seen[i] = 0 if i == source else infinity
    first_reached[i] = 0 if i == source else -1
    last_improved[i] = 0 if i == source else -1


def collect_marked(i: int, mark: DeviceArray, found: DeviceArray, count: DeviceArray) -> None:
    """Append every marked node to a list, in any order."""
    if mark[i] != 0:
        found[atomic_add(count, 0, 1)] = i


def collect_reached(i: int, infinity: int, distances: DeviceArray, found: DeviceArray, count: DeviceArray) -> None:
    """Append every node that has a distance to a list, in any order."""
    if distances[i] != infinity:
        found[atomic_add(count, 0, 1)] = i


def compare_distances(
    i: int,
    step: int,
    infinity: int,
    distances: DeviceArray,
    seen: DeviceArray,
    first_reached: DeviceArray,
    last_improved: DeviceArray,
    count: DeviceArray,
) -> None:
    """Note which distances fell since the last comparison, and count them."""
    distance = distances[i]
    if distance < seen[i]:
        if seen[i] == infinity:
            first_reached[i] = step
        last_improved[i] = step
        seen[i] = distance
        atomic_add(count, 0, 1)
