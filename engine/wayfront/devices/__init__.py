"""Find and open the devices that a search can run on.

Each kind of device has one file here, which says what such devices are called and can do (``describe``), finds those
of this machine (``find``) and opens one (``open``). Nothing outside this folder compares kinds: it asks a
``DeviceInfo`` or a ``Device`` what it can do. Importing these files is cheap and does not bring numba, because whether
a process simulates CUDA has to be decided before that.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from wayfront.devices import cpu, cuda, simulator
from wayfront.devices.device import Ability, Device, DeviceInfo
from wayfront.safe.errors import DeviceError, UnknownDeviceError
from wayfront.safe.options import AUTO

__all__ = [
    "CPU",
    "CUDA",
    "Ability",
    "Device",
    "DeviceInfo",
    "automatic_device",
    "choose_device",
    "describe_device",
    "devices",
    "open_device",
    "prepare_process",
    "why_no_card",
]

CPU = cpu.PREFIX
"""Id of the device that every machine has."""

CUDA = cuda.PREFIX
"""Id of the first card, be there one or not."""

_FILES: tuple[ModuleType, ...] = (cpu, cuda, simulator)
"""The kinds of device in the order in which they are listed; each file's ``PREFIX`` begins the ids of its devices."""

_open: dict[tuple[str, int], Device] = {}
_opening = threading.Lock()
_finding = threading.Lock()


def devices() -> tuple[DeviceInfo, ...]:
    """Return all devices, also those that cannot be opened here or not any more, each with the reason in one line."""
    with _finding:  # a second thread would ask the driver while it starts, and find no card
        found = _find_devices()
    unusable = {device.id: device.why_unusable for device in list(_open.values()) if device.why_unusable}
    return tuple(
        replace(info, available=False, why_not=unusable[info.id]) if info.id in unusable else info for info in found
    )


@functools.cache
def _find_devices() -> tuple[DeviceInfo, ...]:
    return tuple(info for file in _FILES for info in file.find())


def describe_device(device_id: str) -> DeviceInfo:
    """Return what a device of that id is called and can do, without looking whether this machine has it.

    A recorded search may come from another machine, or from a version that knows other kinds of devices: then the id
    is all that is known.
    """
    file = _file_of(device_id)
    if file is None:
        return DeviceInfo(device_id, device_id, "", Ability(0), "")
    info: DeviceInfo = file.describe(device_id)
    return info


def choose_device(device_id: str = AUTO) -> DeviceInfo:
    """Return the device of that id; ``auto`` is the first card where there is one, else the CPU.

    ``cuda`` is ``cuda:0``. Raises ``DeviceError`` where there is no such device or it cannot be opened here.
    """
    if not isinstance(device_id, str):
        raise UnknownDeviceError(f"a device is named by a text, such as 'cpu' or 'cuda:0', not by {device_id!r}")
    found = devices()
    if device_id == AUTO:
        return automatic_device(found)
    wanted = describe_device(device_id).id
    info = next((info for info in found if info.id == wanted), None)
    if info is None:
        raise UnknownDeviceError(
            f"there is no device {device_id!r}; there are: {', '.join((AUTO, *(i.id for i in found)))}"
        )
    if not info.available:
        raise DeviceError(f"device {device_id!r} cannot run here: {info.why_not}")
    return info


def open_device(device_id: str = AUTO, threads: int = 1) -> Device:
    """Open a device, or return it if it is open already.

    ``threads`` is the number of cores that the CPU uses, at most as many as this machine has; other devices take no
    notice of it. Raises ``DeviceError`` as ``choose_device`` does, and for another number of threads.
    """
    info = choose_device(device_id)
    _check_threads(threads, info)
    file = _file_of(info.id)
    assert file is not None
    key = (info.id, threads if Ability.HOST_LOOPS in info.abilities else 1)
    with _opening:
        if key not in _open:
            _open[key] = file.open(info, threads)
        return _open[key]


def _check_threads(threads: Any, info: DeviceInfo) -> None:
    """Raise ``DeviceError`` unless a device can run on so many threads."""
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise DeviceError(f"a search runs on 1 or more threads, a whole number, not on {threads!r}")
    if Ability.HOST_LOOPS in info.abilities and threads > info.threads:
        raise DeviceError(f"a search runs on at most {info.threads} threads here, the usable cores, not on {threads}")


def prepare_process(device_id: str) -> None:
    """Set up this process for a device before numba is imported; only the simulator needs it.

    Raises ``DeviceError`` where it is too late.
    """
    file = _file_of(device_id)
    if file is not None:
        file.prepare_process()


def automatic_device(found: Sequence[DeviceInfo]) -> DeviceInfo:
    """Return the device among those found that ``auto`` takes: the first card that can be opened, else the CPU."""
    cards = (info for info in found if info.available and Ability.GRID_BARRIER in info.abilities)
    return next(cards, found[0])


def why_no_card(found: Sequence[DeviceInfo]) -> str:
    """Return in one line why ``auto`` takes none of the machine's cards, or an empty string if it takes one."""
    cards = [info for info in found if Ability.GRID_BARRIER in info.abilities]
    if any(info.available for info in cards):
        return ""
    return next((info.why_not for info in cards if not info.exclusive), "")


def _file_of(device_id: str) -> ModuleType | None:
    return next((file for file in _FILES if device_id.partition(":")[0] == file.PREFIX), None)
