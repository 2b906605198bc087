"""A loop over n distances as a C compiler makes it without optimisation: every variable in memory.

It is written as LLVM's intermediate code, compiled at level 0 by the LLVM that comes with numba, so that no C compiler
is needed. (numba's own code without optimisation is ten times slower still, which no C loop is.)
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

_CODE = """
define i32 @smallest({i32p} %distances, i64 %count) {{
    %i = alloca i64
    %best = alloca i32
    %first = load i32, {i32p} %distances
    store i32 %first, {i32p} %best
    store i64 1, {i64p} %i
    br label %head
head:
    %now = load i64, {i64p} %i
    %more = icmp slt i64 %now, %count
    br i1 %more, label %body, label %end
body:
    %at = load i64, {i64p} %i
    %place = getelementptr inbounds i32, {i32p} %distances, i64 %at
    %distance = load i32, {i32p} %place
    %least = load i32, {i32p} %best
    %less = icmp slt i32 %distance, %least
    br i1 %less, label %take, label %next
take:
    %again = load i64, {i64p} %i
    %chosen = getelementptr inbounds i32, {i32p} %distances, i64 %again
    %lower = load i32, {i32p} %chosen
    store i32 %lower, {i32p} %best
    br label %next
next:
    %old = load i64, {i64p} %i
    %new = add nsw i64 %old, 1
    store i64 %new, {i64p} %i
    br label %head
end:
    %result = load i32, {i32p} %best
    ret i32 %result
}}

define i32 @many({i32p} %distances, i64 %count, i64 %times) {{
    %turn = alloca i64
    %found = alloca i32
    store i64 0, {i64p} %turn
    br label %head
head:
    %now = load i64, {i64p} %turn
    %more = icmp slt i64 %now, %times
    br i1 %more, label %body, label %end
body:
    %one = call i32 @smallest({i32p} %distances, i64 %count)
    store i32 %one, {i32p} %found
    %old = load i64, {i64p} %turn
    %new = add nsw i64 %old, 1
    store i64 %new, {i64p} %turn
    br label %head
end:
    %result = load i32, {i32p} %found
    ret i32 %result
}}
"""


def many(distances: NDArray[np.int32], times: int) -> int:
    """Find the smallest distance so many times, and return it."""
    function, _ = _compiled()
    return int(function(distances.ctypes.data, len(distances), times))


@functools.cache
def _compiled() -> tuple[Callable[..., int], Any]:
    """Return the compiled function, and the engine whose memory it lies in."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    engine = llvm.create_mcjit_compiler(_parsed(), machine)
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    return kind(engine.get_function_address("many")), engine


def _parsed() -> Any:
    """Return the parsed code; LLVM writes pointers without their types since version 17, and only so."""
    try:
        return llvm.parse_assembly(_CODE.format(i32p="ptr", i64p="ptr"))
    except RuntimeError:
        return llvm.parse_assembly(_CODE.format(i32p="i32*", i64p="i64*"))
