"""What a window imports before its first picture is there."""

from __future__ import annotations

import subprocess
import sys


def test_a_window_loads_neither_cuda_nor_scipy() -> None:
    script = """
import sys
import wayfront_gui.window.app
from wayfront_gui.window.quick_start import spare_blas
spare_blas()
import numba.np.arraymath
heavy = {"numba.cuda", "scipy.linalg", "scipy.linalg.cython_blas"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
