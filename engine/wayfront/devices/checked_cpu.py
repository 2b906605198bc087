"""The CPU with every index checked, on which other people's bodies run first.

Compiled code that reads or writes beyond an array does not fail there: it takes other memory for it, and the process
ends, the window with it, or goes on with wrong numbers. Looking at every index costs time, so this device is not one
that searches are timed on. Where a body fails, the launch is repeated in Python, which knows the line and the index.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wayfront.devices.cpu import CpuDevice
from wayfront.devices.device import Body, Check, no_check
from wayfront.devices.entries import make_entry, make_launch

_OWN = "wayfront."


class BodyError(Exception):
    """A body raised what is this exception's cause, in launch number ``launch``."""

    def __init__(self, launch: int) -> None:
        super().__init__(f"launch {launch} failed")
        self.launch = launch


class CheckedCpu(CpuDevice):
    """Runs bodies on one core, and checks the indices of those that are not the program's own.

    These raise ``BodyError``, and are listed in ``bodies``. ``in_python`` is the number of a launch, counted from 1,
    whose body runs as plain Python; it raises what Python raises there.
    """

    def __init__(self, in_python: int = 0) -> None:
        super().__init__()
        self._in_python = in_python
        self._launched = 0
        self.bodies: list[Body] = []

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return the body's checked loop."""
        if body.__module__.startswith(_OWN):
            return super().prepare(body, block, check)
        self.bodies.append(body)
        compiled = make_launch(body, _checked_loop(body), "0, first", given=1)

        def launch(count: int, *arguments: Any, **named: Any) -> None:
            self._launched += 1
            if self._launched == self._in_python:
                _run_in_python(body, count, arguments, named)
                return
            try:
                compiled(count, *arguments, **named)
            except (ArithmeticError, AssertionError, LookupError, RuntimeError, ValueError) as failed:
                raise BodyError(self._launched) from failed

        return launch

    def prepare_shared(
        self, body: Body, share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return what ``prepare`` returns: there is one core."""
        return self.prepare(body, block, check)


def _run_in_python(body: Body, count: int, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    # Whole numbers overflow without a word in compiled code; division by zero fails there.
    with np.errstate(over="ignore", divide="raise"):
        for i in range(count):
            body(i, *arguments, **named)


@functools.cache
def _checked_loop(body: Body) -> Any:
    from wayfront.compiling import loop_without_allocation

    opening = "    for i in range(begin, end):\n        "
    entry = make_entry(
        body,
        "checked_loop",
        compiled_body=_checked(body),
        leading=("begin", "end"),
        opening=opening,
        given=("i",),
    )
    return loop_without_allocation(entry)


@functools.cache
def _checked(function: Callable[..., Any]) -> Any:
    """Compile a body, or a function that bodies call, and what it calls in turn, with every index checked."""
    from numba import njit

    from wayfront.devices.atomics import with_plain_operations
    from wayfront.devices.body_functions import is_callable_in_bodies

    copy = with_plain_operations(function)
    for name in set(function.__code__.co_names) & copy.__globals__.keys():
        called = copy.__globals__[name]
        plain = getattr(called, "py_func", None)  # an atomic operation, made plain
        if called is not function and (plain is not None or is_callable_in_bodies(called)):
            copy.__globals__[name] = _checked(plain or called)
    return njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False, boundscheck=True)(copy)
