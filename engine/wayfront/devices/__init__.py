"""The devices a search can run on, found and opened by name."""

from __future__ import annotations

import functools

from wayfront.devices.cuda_support import SIMULATING, WHY_NOT, cuda
from wayfront.devices.device import Device, DeviceInfo
from wayfront.errors import DeviceError
from wayfront.options import AUTO

__all__ = ["KINDS", "Device", "DeviceInfo", "devices", "open_device"]

KINDS = ("cpu", "cuda", "simulator")

_HOW_TO_SIMULATE = WHY_NOT if cuda is None else "set NUMBA_ENABLE_CUDASIM=1 before the program starts"


@functools.cache
def devices() -> tuple[DeviceInfo, ...]:
    """Return all devices, those that cannot run here too, with the reason in one line."""
    from wayfront.devices.cuda import cuda_name_or_trouble
    from wayfront.timing.machine import processor_name

    name, trouble = ("", "this process simulates CUDA") if SIMULATING else cuda_name_or_trouble()
    return (
        DeviceInfo("cpu", processor_name(), True),
        DeviceInfo("cuda", name or "CUDA", not trouble, trouble),
        DeviceInfo("simulator", "CUDA simulator", SIMULATING, "" if SIMULATING else _HOW_TO_SIMULATE),
    )


@functools.cache
def open_device(kind: str = AUTO, threads: int = 1) -> Device:
    """Return the device of that kind; ``auto`` is CUDA where there is a card, else the CPU.

    ``threads`` are the cores the CPU may use. A device is opened once and kept. Raises ``DeviceError``.
    """
    from wayfront.devices import cpu, cuda

    if kind == AUTO:
        kind = "simulator" if SIMULATING else "cuda" if devices()[1].available else "cpu"
    if kind not in KINDS:
        raise DeviceError(f"there is no device {kind!r}; there are: {AUTO}, {', '.join(KINDS)}")
    info = next(d for d in devices() if d.kind == kind)
    if not info.available:
        raise DeviceError(f"device {kind!r} cannot run here: {info.why_not}")
    if kind == "cpu":
        return cpu.CpuDevice(threads)
    return cuda.SimulatorDevice() if kind == "simulator" else cuda.CudaDevice()
