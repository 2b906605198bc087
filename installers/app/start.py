"""Where the frozen application starts: the command line, or what a Python beside it would run.

There is no such Python, so a helper process is the application itself, called as the program calls Python:
``-I -X utf8 -c CODE …`` (OSMnx) or ``-m MODULE …``.
"""

import importlib
import runpy
import sys
from multiprocessing import freeze_support

ISOLATED = ["-I", "-X", "utf8", "-c"]


def main() -> None:
    """Do what the arguments ask for."""
    freeze_support()
    # Installed, a .pth file has this imported first: it lets `numba.cuda` be the package numba-cuda.
    importlib.import_module("_numba_cuda_redirector")
    if sys.argv[1:5] == ISOLATED:
        code, sys.argv = sys.argv[5], ["-c", *sys.argv[6:]]
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
    elif sys.argv[1:2] == ["-m"]:
        sys.argv = sys.argv[2:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        from wayfront_gui.entry import main as run

        run()


if __name__ == "__main__":
    main()
