"""Run the threads of a simulated block in an order of one's choice, switching between them wherever that shows a fault.

The simulator's own manager starts a thread of the system for each of CUDA's, and asks all of them over and over whether
they wait at a barrier, which takes most of the time. Here no thread is started: kernels and what they call are
rewritten as generators, which yield where a thread waits or where another one may go on. So the same kernels take a
fraction of the time, and the order of threads is ours.

A card may take any order, and a single one hides faults: a sum without an atomic addition is right as long as nobody
comes between reading and writing, and what the first thread writes is there for all others without a barrier. So there
are three schedules:

IN_ORDER  threads and blocks by their numbers, each until it waits or ends
REVERSED  the same from the last to the first
SHUFFLED  blocks in any order; before a thread reads an element, and between computing a value and writing it, any other
          thread of the block may go on, chosen by a seed; an atomic operation is never interrupted

Memory that nobody has written holds numbers that lead nowhere; shuffled, shared memory is what the kernel's last block
left, as it may be on a card. A copy that a thread starts and waits for later is made at once in order, as late as it
may be reversed, and either way shuffled, by chance: whoever does not wait sees what was there before, and what is still
read is overwritten too early. Blocks may have several warps, each with barriers of its own, and the first threads of a
block as well. Shuffles of a warp, which the simulator lacks, are there too, so that kernels whose form for cards needs
them can be run in that form.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import random
import sys
import textwrap
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, ClassVar, NamedTuple
from unittest import mock

import numpy as np
from numba.cuda import types
from numba.cuda.np.numpy_support import as_dtype
from numba.cuda.simulator import kernel as simulator
from numba.cuda.simulator.cudadrv.devicearray import FakeWithinKernelCUDAArray
from numba.cuda.simulator.kernelapi import Dim3

from simulated_schedules import IN_ORDER, REVERSED, SHUFFLED
from wayfront.devices import atomics, blocks, entries
from wayfront.devices.simulator import SimulatorDevice

GARBAGE = 0xA5
"""Every byte of memory that nobody has written: a negative number in any integer type."""

PLAIN = ("numpy", "numba", __name__)
"""Packages whose functions run as they are; what waits here is a generator already."""


class Group(NamedTuple):
    """Threads of a block, by their numbers, that wait for one another at a barrier of this kind."""

    kind: str
    threads: range


Turns = Generator[Group | None, None, Any]
"""A thread's run: it yields the group that it waits for, or None where another thread may go on."""


def _garbage(size: int, dtype: np.dtype[Any]) -> Any:
    array = np.empty(size, dtype)
    array.view(np.uint8).fill(GARBAGE)
    return array


def _numpy_type(dtype: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(as_dtype(dtype) if isinstance(dtype, types.Type) else dtype)
    return found


def _local_array(shape: Any, dtype: Any) -> Any:
    return _garbage(shape, _numpy_type(dtype))


class Thread:
    """One of CUDA's threads: its place in the block, what it shows to others, and the rest of its run.

    ``copies`` are those that it has started and that are not there yet: closed groups of them, and the open one.
    """

    def __init__(self, place: tuple[int, ...], number: int, turns: Turns) -> None:
        """Make one that has not begun."""
        self.place, self.number, self.turns, self.shown = Dim3(*place), number, turns, None
        self.lane = number % blocks.WARP
        first = number - self.lane
        self.warp = Group("warp", range(first, first + blocks.WARP))
        self.copies: list[list[Callable[[], None]]] = [[]]


class Cuda:
    """What kernels call ``cuda``, and what they ask of the thread that runs now."""

    block: Block
    thread: Thread
    blockIdx: Dim3  # noqa: N815 - CUDA's names
    blockDim: Dim3  # noqa: N815
    gridDim: Dim3  # noqa: N815

    def __init__(self) -> None:
        """Stand for every module of CUDA's that kernels name."""
        self.shared, self.local = SimpleNamespace(array=self._shared_array), SimpleNamespace(array=_local_array)
        self.cg = SimpleNamespace(this_grid=lambda: SimpleNamespace(sync=self.syncthreads))

    @property
    def threadIdx(self) -> Dim3:  # noqa: N802
        """The thread's place in its block."""
        return self.thread.place

    def grid(self, _dimensions: int) -> int:
        """Return the thread's number in the grid."""
        return int(self.blockIdx.x * self.blockDim.x + self.thread.place.x)

    def gridsize(self, _dimensions: int) -> int:
        """Return the number of threads in the grid."""
        return int(self.gridDim.x * self.blockDim.x)

    def syncthreads(self) -> Turns:
        """Wait for the others of the block."""
        yield self.block.all

    def sync_warp(self) -> Turns:
        """Wait for the others of the warp."""
        yield self.thread.warp

    def sync_first(self, threads: int) -> Turns:
        """Wait for the others of the first so many threads of the block, of which this is one."""
        assert self.thread.number < threads, "a thread waits among others than its own"
        yield Group("first", range(threads))

    def copy_ahead(self, *places: Any) -> None:
        """Copy 16 bytes now, or when this thread waits for them."""
        copy = functools.partial(blocks.copy_ahead, *places)
        if self.block.delays_copy():
            self.thread.copies[-1].append(copy)
        else:
            copy()

    def close_copies(self) -> None:
        """End the thread's open group of copies."""
        self.thread.copies.append([])

    def wait_for_copies(self, pending: int) -> None:
        """Make the copies of all closed groups but the last so many."""
        groups = self.thread.copies
        while len(groups) > 1 + pending:
            for copy in groups.pop(0):
                copy()

    def syncthreads_or(self, value: Any) -> Turns:
        """Return whether a thread of the block gives something other than 0."""
        self.thread.shown = value
        yield self.block.all
        found = any(thread.shown for thread in self.block.threads)
        yield self.block.all
        return int(found)

    def shfl_down_sync(self, _mask: int, own: Any, reach: int) -> Turns:
        """Return the value of the lane so far on in the warp, or the own one behind its last."""
        me = self.thread
        me.shown, lane = own, me.lane + reach
        yield me.warp
        threads = self.block.threads[me.warp.threads.start : me.warp.threads.stop]
        found = threads[lane].shown if 0 <= lane < len(threads) else own
        yield me.warp
        return found

    def shfl_up_sync(self, mask: int, own: Any, reach: int) -> Turns:
        """Return the value of the lane so far back in the warp, or the own one before its first."""
        return (yield from self.shfl_down_sync(mask, own, -reach))

    def _shared_array(self, size: int, dtype: Any) -> Any:
        """Return the block's array that a line of the kernel makes; of size 0, all the memory it is launched with."""
        caller, dtype = sys._getframe(1), _numpy_type(dtype)
        room = size * dtype.itemsize or self.block.room
        place = (caller.f_code.co_filename, caller.f_lineno, room) if size else room
        if place not in self.block.shared:
            self.block.shared[place] = _garbage(room, np.dtype(np.uint8))
        return self.block.shared[place][: room // dtype.itemsize * dtype.itemsize].view(dtype)


CUDA: Any = Cuda()

INSTEAD = {
    blocks.sync_first: CUDA.sync_first,
    blocks.copy_ahead: CUDA.copy_ahead,
    blocks.close_copies: CUDA.close_copies,
    blocks.wait_for_copies: CUDA.wait_for_copies,
}
"""What runs in place of functions for which a single thread, or one that copies at once, is not enough."""


class Block(simulator.BlockManager):  # type: ignore[misc] # numba-cuda has no types
    """Runs the threads of one block in turn, by the schedule that is chosen."""

    schedule = IN_ORDER
    chance = random.Random(0)
    left: ClassVar[dict[object, dict[object, Any]]] = {}

    def run(self, grid_point: tuple[int, ...], *arguments: Any) -> None:
        """Run the kernel once for each thread."""
        taken = [a._item._ary if isinstance(a, FakeWithinKernelCUDAArray) else a for a in arguments]
        body = in_turns(self._f, self.schedule == SHUFFLED)
        self.threads = [Thread(at, i, body(*taken)) for i, at in enumerate(np.ndindex(*self._block_dim))]
        self.shared = self.left.setdefault(self._f, {}) if self.schedule == SHUFFLED else {}
        self.room = simulator._get_kernel_context().shared._dynshared_size
        CUDA.block, CUDA.blockIdx = self, Dim3(*self._place(grid_point))
        CUDA.blockDim, CUDA.gridDim = Dim3(*self._block_dim), Dim3(*self._grid_dim)
        ready = self.threads[:: -1 if self.schedule == REVERSED else 1]
        live, self.all = set(range(len(ready))), Group("block", range(len(ready)))
        waiting, missing = dict[Group, list[Thread]](), dict[Group, int]()
        while ready:
            place = self.chance.randrange(len(ready)) if self.schedule == SHUFFLED else 0
            thread = CUDA.thread = ready[place]
            try:
                group = next(thread.turns)
            except StopIteration:
                live.remove(thread.number)
                reached = [group for group in waiting if thread.number in group.threads]
            else:
                if group is None:
                    continue
                if group not in waiting:
                    waiting[group], missing[group] = [], len(live.intersection(group.threads))
                waiting[group].append(thread)
                reached = [group]
            del ready[place]
            for group in reached:
                missing[group] -= 1
                if missing[group] == 0:
                    ready += waiting.pop(group)
        assert not waiting, "threads of a block wait at different barriers"

    def delays_copy(self) -> bool:
        """Return whether a copy that begins now is not there before its thread waits for it."""
        return self.schedule == REVERSED or (self.schedule == SHUFFLED and self.chance.random() < 0.5)

    def _place(self, grid_point: tuple[int, ...]) -> tuple[int, ...]:
        """Return which block runs when that at a point of the grid would."""
        order = list(np.ndindex(*self._grid_dim))
        number = order.index(grid_point)
        if self.schedule == SHUFFLED:
            random.Random(len(order)).shuffle(order)
        return order[-1 - number] if self.schedule == REVERSED else order[number]


class Rewriting(ast.NodeTransformer):
    """Rewrites a function as a generator. ``known`` has what its names stand for outside it."""

    def __init__(self, known: dict[str, Any], watched: bool) -> None:
        """Let others go on at every access to memory where it is watched."""
        self._known, self._watched = known, watched

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Make it a generator, whatever is in it."""
        self.generic_visit(node)
        node.decorator_list, node.returns = [], None
        for argument in node.args.args:
            argument.annotation = None
        node.body = [*ast.parse("if 0: yield").body, *node.body]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Let what is called wait too."""
        self.generic_visit(node)
        if self._is_plain(node.func):
            return node
        called = ast.Name("_call", ast.Load())
        return ast.YieldFrom(ast.Call(called, [node.func, *node.args], node.keywords))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Let others go on before an element is read."""
        self.generic_visit(node)
        if not self._watched or not isinstance(node.ctx, ast.Load):
            return node
        both = ast.Tuple([ast.Yield(), node], ast.Load())
        return ast.Subscript(both, ast.Constant(1), ast.Load())

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """Read, compute and write one after the other."""
        if not isinstance(node.target, ast.Subscript):
            self.generic_visit(node)
            return node
        old = ast.Subscript(node.target.value, node.target.slice, ast.Load())
        assigned = ast.Assign([node.target], ast.BinOp(old, node.op, node.value))
        return self.visit_Assign(ast.copy_location(assigned, node))

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """Let others go on before elements are written."""
        self.generic_visit(node)
        writes = any(isinstance(part, ast.Subscript) for target in node.targets for part in ast.walk(target))
        if self._watched and writes:
            both = ast.Tuple([node.value, ast.Yield()], ast.Load())
            node.value = ast.Subscript(both, ast.Constant(0), ast.Load())
        return node

    def _is_plain(self, called: ast.expr) -> bool:
        """Return whether what is called never waits: a type, a built-in function, something of NumPy's or Numba's."""
        if isinstance(called, ast.Name):
            value = self._known.get(called.id, getattr(builtins, called.id, None))
            return value is not None and not hasattr(value, "fn") and not isinstance(value, FunctionType)
        if isinstance(called, ast.Attribute) and called.attr == "array":
            return True
        root = self._known.get(called.value.id) if isinstance(called, ast.Attribute) and isinstance(
            called.value, ast.Name) else None  # fmt: skip
        return isinstance(root, ModuleType) and root.__name__.partition(".")[0] in PLAIN


_texts: dict[tuple[str, str], str] = {}
"""Entry points of kernels, by the file in which they claim to be and their name."""

_rewritten: dict[tuple[Callable[..., Any], bool], Callable[..., Turns]] = {}


def in_turns(function: Callable[..., Any], watched: bool) -> Callable[..., Turns]:
    """Return a function of a kernel as a generator, which others interrupt at every access to memory if watched."""
    if (function, watched) not in _rewritten:
        code: Any = function.__code__
        text = _texts.get((code.co_filename, code.co_name)) or textwrap.dedent(inspect.getsource(function))
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        free = {"_call": _calls(watched), "cuda": CUDA} | dict(zip(code.co_freevars, cells, strict=True))
        tree = ast.parse(text)
        Rewriting(function.__globals__ | free, watched).visit(tree)
        made = ast.parse(f"def make({', '.join(free)}):\n    return {code.co_name}")
        outer: Any = made.body[0]
        ast.increment_lineno(tree, code.co_firstlineno - 1)
        outer.body = [*tree.body, *outer.body]
        local: dict[str, Any] = {}
        exec(compile(ast.fix_missing_locations(made), code.co_filename, "exec"), function.__globals__, local)
        _rewritten[function, watched] = local["make"](*free.values())
    return _rewritten[function, watched]


def _calls(watched: bool) -> Callable[..., Turns]:
    """Return the generator by which a rewritten function calls others."""

    def call(called: Any, *arguments: Any) -> Turns:
        function = getattr(called, "fn", called)
        function = INSTEAD.get(function, function)
        if _waits(function):
            return (yield from function(*arguments))
        if not isinstance(function, FunctionType) or function.__module__.partition(".")[0] in PLAIN:
            if watched:
                yield None
            return function(*arguments)
        if function.__module__ != atomics.__name__:
            return (yield from in_turns(function, watched)(*arguments))
        yield None
        return function(*arguments)

    return call


@functools.cache
def _waits(function: Any) -> bool:
    """Return whether a function is a generator, which only those of ``Cuda`` are."""
    return inspect.isgeneratorfunction(function)


def forget(file: str) -> None:
    """Rewrite the functions of a file anew, whose text has been changed."""
    for function, watched in [key for key in _rewritten if key[0].__code__.co_filename == file]:
        del _rewritten[function, watched]


def install() -> None:
    """Make this process's simulator run blocks by ``Block``."""

    def noting(source: str, file: str, mode: str) -> Any:
        _texts[file, source.partition("(")[0].removeprefix("def ")] = source
        return compile(source, file, mode)

    vars(entries)["compile"] = noting
    simulator.BlockManager = Block
    warp = SimpleNamespace(syncthreads=CUDA.sync_warp)  # so the simulator's own blocks of one warp wait
    vars(blocks)["threading"] = SimpleNamespace(current_thread=lambda: warp)
    mock.patch.object(SimulatorDevice, "empty", _uninitialised).start()


@contextmanager
def scheduled(schedule: str, seed: int = 0) -> Iterator[None]:
    """Run blocks by a schedule."""
    with mock.patch.multiple(Block, schedule=schedule, chance=random.Random(seed), left={}):
        yield


def _uninitialised(device: SimulatorDevice, size: int, dtype: Any) -> Any:
    return device.put(_garbage(max(size, 1), np.dtype(dtype)))
