"""Say in one sentence why there is no card, or what went wrong on a device, and what to do.

That is found without importing CUDA, which takes a second.

Driver, compiler and linker raise some twenty kinds of exceptions, from three packages, and nearly all carry the name
of the driver's status in their text. So they are recognised here by that name, in one place, without importing any of
these packages.

Some faults are *sticky*: once a kernel has written where it must not, every further call in its context fails with the
same status, until the process ends. Such a card is marked as unusable, and is not touched again.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from wayfront.safe.errors import DeviceError, DeviceLostError, DeviceMemoryError, KernelError

_STATUS = re.compile(r"CUDA_ERROR_(\w+)")

_MEMORY = frozenset({"OUT_OF_MEMORY"})

_LOST = frozenset(
    {
        *("NO_DEVICE", "INVALID_DEVICE", "DEVICE_UNAVAILABLE", "DEVICE_NOT_LICENSED", "DEINITIALIZED"),
        *("ECC_UNCORRECTABLE", "NVLINK_UNCORRECTABLE", "CONTEXT_IS_DESTROYED", "CONTEXT_ALREADY_IN_USE"),
        *("SYSTEM_NOT_READY", "SYSTEM_DRIVER_MISMATCH", "EXTERNAL_DEVICE", "NOT_INITIALIZED", "UNKNOWN"),
        *("CONTAINED", "MPS_CONNECTION_FAILED", "MPS_SERVER_NOT_READY", "MPS_RPC_FAILURE", "MPS_CLIENT_TERMINATED"),
    }
)

_STICKY = frozenset(
    {
        *("ILLEGAL_ADDRESS", "MISALIGNED_ADDRESS", "INVALID_ADDRESS_SPACE", "INVALID_PC", "ILLEGAL_INSTRUCTION"),
        *("HARDWARE_STACK_ERROR", "LAUNCH_FAILED", "LAUNCH_TIMEOUT", "ASSERT", "TENSOR_MEMORY_LEAK"),
    }
)
"""What a kernel did wrong, after which its context is of no more use."""

_CARD_PACKAGES = ("numba", "cuda", "numba_cuda")
"""The packages whose exceptions are faults of a card, where a card was at work."""

_NO_MEMORY = "this machine has not enough memory for this search: close other programs, or take a smaller network"


def explain(error: Exception, device_id: str, name: str) -> DeviceError | None:
    """Return the error to raise in place of one that came up while a card was at work; None for all others."""
    if isinstance(error, MemoryError):
        return DeviceMemoryError(_NO_MEMORY)
    card = f"{device_id} ({name})"
    text = " ".join(str(error).split())
    found = _STATUS.search(text)
    from_card = type(error).__module__.partition(".")[0] in _CARD_PACKAGES
    if not from_card and not (found and type(error) is DeviceError):
        return None
    status = found.group(1) if found else ""
    if status in _MEMORY:
        return DeviceMemoryError(
            f"{card} is short of memory for this search: choose the CPU or a smaller network, or close the programs "
            "that use the card"
        )
    if status in _LOST:
        problem = (
            f"{card} was lost (CUDA_ERROR_{status}): choose the CPU, and restart the program once the card is back"
        )
        return DeviceLostError(problem, device_id)
    if status in _STICKY:
        problem = (
            f"a kernel failed on {card} (CUDA_ERROR_{status}): choose the CPU, or restart the program to "
            "use the card again"
        )
        return DeviceLostError(problem, device_id)
    reason = f"CUDA_ERROR_{status}" if status else f"{type(error).__name__}: {text[:160]}"
    return KernelError(f"{card} cannot run a kernel of this search ({reason}): choose another algorithm, or the CPU")


def _let_go(error: BaseException | None) -> None:
    """Drop what the frames of an error, and of those before it, refer to: errors live long where they are shown."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error.__traceback__ = None  # a cleared frame still refers to its function, and so to what that closed over
        error = error.__context__


@contextmanager
def explained(device_id: str, name: str, on_lost: Callable[[str], None] = lambda _why: None) -> Iterator[None]:
    """Explain the faults of a card that come up within; ``on_lost`` gets the reason where it is of no use any more.

    What the failed search held is let go, so that a smaller one finds the memory free.
    """
    try:
        yield
    except Exception as error:  # whatever is no fault of a card goes on as it is
        fault = explain(error, device_id, name)
        if fault is None:
            raise
        if isinstance(fault, DeviceLostError):
            on_lost(str(fault))  # before what the search held is let go: freeing it would fail
        _let_go(error)
    else:
        return
    raise fault from None


@contextmanager
def memory_explained() -> Iterator[None]:
    """Say in a sentence that the processor's memory does not suffice for what is done within."""
    try:
        yield
    except MemoryError as error:
        _let_go(error)
    else:
        return
    raise DeviceMemoryError(_NO_MEMORY) from None


SIMULATE = "NUMBA_ENABLE_CUDASIM"
"""The variable of the environment that lets numba simulate CUDA, read when it is imported."""
MISSING = "the package numba-cuda is not installed: the extra cuda brings it (there is none for macOS)"
_DRIVERS = ("libcuda.so.1", "libcuda.so", "/usr/lib/libcuda.so", "/usr/lib64/libcuda.so")


def why_not_installed() -> str:
    """Return in one line why there is no package for CUDA, an empty string where there is one."""
    return "" if find_spec("numba_cuda") else MISSING


def asked_to_simulate() -> bool:
    """Return whether numba simulates CUDA in this process, or will once it is imported."""
    return os.environ.get(SIMULATE, "0") not in ("", "0")


def driver_is_missing() -> bool:
    """Return whether this machine surely has no driver of NVIDIA's, and so no card; only Linux says so that quickly."""
    return sys.platform.startswith("linux") and not any(map(_is_library, _DRIVERS))


def _is_library(name: str) -> bool:
    """Return whether a library can be loaded, or is there and cannot, for which numba knows the reason."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return Path(name).is_file()
    return True
