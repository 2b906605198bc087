"""Compiled work that another core does meanwhile, if it has time. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from wayfront.timing.machine import usable_cores

_T = TypeVar("_T")


@cache
def _pool() -> ThreadPoolExecutor | None:
    return ThreadPoolExecutor(1, "wayfront-cpu map") if usable_cores() > 1 else None


def aside(work: Callable[[], _T]) -> Callable[[], _T]:
    """Let another core do some work that does not hold the interpreter's lock; return what returns its result.

    If that core has not begun when the result is asked for, since another program holds it, the work is done there:
    nobody waits for a core that is busy.
    """
    pool = _pool()
    if pool is None:
        return work
    future = pool.submit(work)
    return lambda: work() if future.cancel() else future.result()
