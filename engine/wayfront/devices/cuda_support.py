"""Import CUDA through the package numba-cuda, which is optional: macOS has none, and any machine may do without.

Every module that names CUDA takes it from here. ``cuda`` is the module ``numba.cuda`` of numba-cuda, or None. An old
``numba.cuda`` that numba itself brings is not used: it lacks what the kernels need.

The simulator is numba-cuda's too. Whether a process simulates must be decided before numba is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from wayfront.devices.faults import asked_to_simulate, why_not_installed

Function = TypeVar("Function", bound=Callable[..., Any])


def _import_cuda() -> tuple[Any, str]:
    """Return (the module, "") or (None, why there is none, in one line)."""
    if missing := why_not_installed():
        return None, missing
    try:
        from numba import cuda
    except ImportError as error:  # numba-cuda without the NVIDIA packages it needs
        return None, f"numba-cuda cannot be imported: {' '.join(str(error).split())[:160]}"
    return cuda, ""


cuda: Any
WHY_NOT: str
cuda, WHY_NOT = _import_cuda()
if cuda is not None:
    from numba.cuda import config

    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a small frontier is no mistake

SIMULATING = cuda is not None and asked_to_simulate()
"""Whether this process runs CUDA kernels in numba's simulator."""

COMPILING = cuda is not None and not SIMULATING
"""Whether kernels can be compiled for a card: then plain functions need a form for CUDA."""


def cuda_kernel(kernel: Callable[..., None], registers: int = 0) -> Any:
    """Make a function a CUDA kernel; without CUDA return it unchanged, so that its module can be imported.

    Where ``registers`` is not 0, a thread uses at most so many.
    """
    if cuda is None:
        return kernel
    return cuda.jit(max_registers=registers)(kernel) if registers and COMPILING else cuda.jit(kernel)


def cuda_function(function: Function) -> Function:
    """Make a function callable from CUDA kernels; without CUDA return it unchanged."""
    if cuda is None:
        return function
    compiled: Function = cuda.jit(device=True)(function)
    return compiled


def cuda_inlined(function: Function) -> Function:
    """Make a function callable from CUDA kernels that is part of each caller, whose arguments then stay in registers.

    A call that remains one hands over groups of arrays through memory.
    """
    if not COMPILING:
        return cuda_function(function)
    compiled: Function = cuda.jit(device=True, forceinline=True)(function)
    return compiled


def cuda_overload(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the CUDA form of ``function``, where kernels are compiled for a card."""
    if not COMPILING:
        return lambda form: form
    from numba.cuda.extending import overload

    registered: Callable[[Callable[..., Any]], Callable[..., Any]] = overload(function, strict=False)
    return registered
