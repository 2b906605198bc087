"""What a start of the window leaves out, so that it is soon ready. No Qt."""

from __future__ import annotations

import sys
from importlib import import_module

_BLAS = "scipy.linalg.cython_blas"
_ASKS = "numba.np.arraymath"


def spare_blas() -> None:
    """Let Numba find no BLAS: it looks for one before it compiles, and all of ``scipy.linalg`` is imported for it.

    That takes a fifth of a second. No kernel here multiplies matrices; a process that compiles other people's kernels,
    as one that uses the library does, is left alone.
    """
    if _ASKS in sys.modules or _BLAS in sys.modules:
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]  # what is None cannot be imported
    try:
        import_module(_ASKS)
    finally:
        del sys.modules[_BLAS]
