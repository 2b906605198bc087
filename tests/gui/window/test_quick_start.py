"""What a window imports before its first picture is there."""

from __future__ import annotations

import subprocess
import sys


def test_a_window_loads_neither_cuda_nor_scipy_nor_the_compiler() -> None:
    """It is made, and a kernel that was compiled before is called: the second process finds it in the cache."""
    script = """
import sys
from PySide6.QtWidgets import QApplication
from wayfront_gui.window.frame_times import _window
application = QApplication([])
import numpy as np
from wayfront_gui.scene import subtrees
with _window():
    assert subtrees.subtree_sizes(np.array([-1, 0], np.int32)).tolist() == [2, 1]
if not subtrees._peel.stats.cache_misses:
    heavy = {"numba.cuda", "numba.np.arraymath", "scipy.linalg", "wayfront.search.run"} & set(sys.modules)
    sys.exit(f"loaded: {heavy}" if heavy else 0)
sys.exit("compiled")
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
        if done.stderr.strip() != "compiled":
            break
    assert done.returncode == 0, done.stderr


def test_a_kernel_that_is_compiled_finds_no_blas() -> None:
    script = """
import sys
from wayfront_gui.engine_thread.quick_start import spare_blas
spare_blas()
import numba.np.arraymath
sys.exit("scipy.linalg is loaded" if "scipy.linalg" in sys.modules else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
