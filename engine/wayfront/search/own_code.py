"""Explain what goes wrong in an algorithm's own code: in words that its author understands, with file and line."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from wayfront.errors import KernelError, PluginError, WayfrontError
from wayfront.plugins.blame import describe_fault
from wayfront.plugins.compiling_faults import explain_compiling
from wayfront.search.registry import Algorithm

log: Final = logging.getLogger(__name__)
_OF_CARDS = ("cuda", "numba_cuda", "numba")
"""The packages whose exceptions are a device's to explain, where no kernel fails to compile."""


@contextmanager
def explained(algorithm: Algorithm) -> Iterator[None]:
    """Explain a kernel that does not compile, and whatever a plug-in's search raises; the log has all of it.

    Raises ``KernelError`` or, for a plug-in, whose author no other device would help, ``PluginError`` in its place.
    """
    try:
        yield
    except (WayfrontError, MemoryError):
        raise
    except Exception as problem:
        why = explain_compiling(problem, algorithm.home)
        fault: WayfrontError
        if why is not None:
            fault = KernelError(why) if algorithm.own else PluginError(why)
        elif algorithm.own or type(problem).__module__.partition(".")[0] in _OF_CARDS:
            raise
        else:
            fault = PluginError(f"the search {algorithm.name} failed: {describe_fault(problem, algorithm.home)}")
        log.info("%s failed", algorithm.name, exc_info=problem)
        raise fault from None
