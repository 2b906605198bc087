"""The window, its docks and commands, and what connects them to the model and the engine thread."""

import numba  # noqa: F401 - before Qt: PySide reads the source of every module that is imported after it, 0.3 ms each
