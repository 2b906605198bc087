"""Lets Python import by itself again once Qt is loaded: what comes after this module in a list of imports is quick.

PySide6 stands between, and reads the source of every module that is imported, only to see whether that may ask for its
``__feature__``. Nothing here does, and it took an eighth of a start and a third of loading Numba.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - what comes between

builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
