"""``python -m wayfront``: the command line, which is found by its name as the canvas of ``plot()`` is."""

import runpy

if __name__ == "__main__":
    runpy.run_module("wayfront_gui", run_name="__main__", alter_sys=True)
