"""What a device of a result is called in charts and panels, and which of a theme's colours it has. No Qt."""

from __future__ import annotations

_DECLARED = {"cpu": ("CPU", "processor"), "cuda": ("GPU", "card"), "simulator": ("simulator", "simulator")}


def device_label(device: str) -> str:
    """Return a device's short label by its id; the id itself if no device of that name is known."""
    return _DECLARED.get(device.partition(":")[0], (device, ""))[0]


def device_colour_key(device: str) -> str:
    """Return the key of a device's colour in ``Theme.devices``, empty if no device of that name is known."""
    return _DECLARED.get(device.partition(":")[0], ("", ""))[1]
