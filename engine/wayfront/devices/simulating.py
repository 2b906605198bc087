"""Whether this process runs CUDA kernels in numba's simulator, which must be decided before numba is imported."""

from __future__ import annotations

import os

SIMULATING = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")
