"""What can be said of CUDA without importing it, which takes a second: whether its package and a driver are there."""

from __future__ import annotations

import ctypes
import os
import sys
from importlib.util import find_spec
from pathlib import Path

SIMULATE = "NUMBA_ENABLE_CUDASIM"
"""The variable of the environment that lets numba simulate CUDA, read when it is imported."""
_DRIVERS = ("libcuda.so.1", "libcuda.so", "/usr/lib/libcuda.so", "/usr/lib64/libcuda.so")


def why_not_installed() -> str:
    """Return in one line why there is no package for CUDA, an empty string where there is one."""
    return "" if find_spec("numba_cuda") else "the package numba-cuda is not installed (there is none for macOS)"


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
