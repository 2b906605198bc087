"""How Numba compiles, and how what it compiled is kept between two starts of the program.

To a function's own code Numba adds two more: the entry by which Python calls it, and one for C. They take a sixth of
the time of compiling, which people wait for when they first use a part of the program, and are left out where nobody
calls them.

What is compiled is kept on disk. Where that cannot be written or read, because the disk is full or read-only, or a file
there is damaged, functions are compiled at every start instead: that a cache fails stops no search.

A kernel for a card takes up to 40 s. Numba keeps it beside the file of its body, and looks there only at that file's
date, at the entry's own code and at the types of its arguments. Ours are made of more: of device functions from other
files, of what a factory closed over, of a limit of registers. So a kept kernel is taken only where all of these are as
they were.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Event, local
from types import CodeType, FunctionType
from typing import Any, Generic, Protocol, TypeVar

from wayfront.devices.linking import entry_compiler, linked_cache, linking_compiler
from wayfront.safe.folders import alone, cache_folder

log: logging.Logger = logging.getLogger(__name__)
Result_co = TypeVar("Result_co", covariant=True)
NOTICE = "compiling kernels, which this machine does once; 'wayfront warm-up' does all of it beforehand"
"""What people are told who wait for kernels."""
_watching = ExitStack()


class Compiled(Protocol[Result_co]):
    """A compiled function. What its arguments may be Numba finds out at a call, whatever their annotations say."""

    py_func: Callable[..., Any]

    @property
    def signatures(self) -> list[Any]:
        """Return the types of arguments that it is compiled for."""
        ...

    def __call__(self, *arguments: Any) -> Result_co:
        """Call it, and compile it first where these types of arguments are new."""
        ...


class Compiler(Protocol):
    """A decorator that compiles a function."""

    def __call__(self, function: Callable[..., Result_co], /) -> Compiled[Result_co]:
        """Return the compiled function."""
        ...


class _Lazy(Generic[Result_co]):
    """A function that is handed to Numba when it is first called: a start without a compiler does not wait for one."""

    def __init__(self, function: Callable[..., Any], compile_it: Callable[[Callable[..., Any]], Any]) -> None:
        self.py_func, self._compile_it = function, compile_it

    def __call__(self, *arguments: Any) -> Result_co:
        found: Result_co = self.dispatcher(*arguments)
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of it."""
        _watch_in_notebooks()
        return self._compile_it(self.py_func)


def _compiler(compile_it: Callable[[Callable[..., Any]], Any]) -> Compiler:
    """Return a decorator that hands functions to Numba: at once where it is loaded, otherwise when they are called."""

    def decorate(function: Callable[..., Result_co]) -> Compiled[Result_co]:
        made: Compiled[Result_co]
        if "numba" in sys.modules:
            _watch_in_notebooks()
            made = compile_it(function)
        else:
            made = _Lazy(function, compile_it)
        return made

    return decorate


def _kept(**options: bool | str) -> Compiler:
    """Return a decorator that compiles a function and keeps it between two starts of the program."""

    def compile_it(function: Callable[..., Any]) -> Any:
        dispatcher = _declare(function, nogil=True, **options)
        if hasattr(dispatcher, "enable_caching"):  # Numba can be told to compile nothing, and then has no cache
            linked = _is_tried() and dispatcher._compiler.pipeline_class is linking_compiler()
            _let_keep(dispatcher, lambda: (_linked_cache() if linked else _loop_cache())(function))
        return dispatcher

    return _compiler(compile_it)


def _declare(function: Callable[..., Any], **options: Any) -> Any:
    from numba import njit

    _know_lazy_ones()
    if _is_tried():
        options["pipeline_class"] = linking_compiler() if options.get("no_cpython_wrapper") else entry_compiler()
    return njit(no_cfunc_wrapper=True, **options)(function)


@functools.cache
def _know_lazy_ones() -> None:
    """Let compiled functions call those that are not handed to Numba yet."""
    from numba import types
    from numba.extending import typeof_impl

    @typeof_impl.register(_Lazy)
    def type_of(lazy: _Lazy[Any], _context: Any) -> Any:
        return types.Dispatcher(lazy.dispatcher)


def _let_keep(dispatcher: Any, make_cache: Callable[[], Any]) -> None:
    """Give a dispatcher its cache, where there is a folder for one."""
    try:
        dispatcher._cache = make_cache()
    except (RuntimeError, OSError):
        _note_not_kept(OSError("there is no folder that can be written"))


# ------------------------------------------------------------------------------------------------ what is kept


class _Forgiving:
    """What makes a cache of Numba's one whose failures stop nothing: a class of it follows among the bases."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what is kept for a signature, None if it is not there or cannot be read."""
        cache: Any = super()
        try:
            return cache.load_overload(sig, target_context)
        except Exception as problem:  # a damaged file may raise anything where it is unpickled
            _note_not_kept(problem)
            with suppress(Exception):
                cache.flush()  # so that it can be kept again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what is compiled for a signature, where it can be kept."""
        cache: Any = super()
        try:
            # Numba reads a list of what is kept, and writes it with one more.
            with alone(cache_folder() / "keeping"):
                cache.save_overload(sig, data)
        except Exception as problem:  # a full disk, or code linked from elsewhere: it is compiled all the same
            _note_not_kept(problem)


_TRIED = (0, 68)
"""The version of Numba whose inside we rely on; another one may arrange it otherwise, and is left to itself."""


def _is_tried() -> bool:
    from numba import version_info

    return tuple(version_info.short) == _TRIED


@functools.cache
def _loop_cache() -> Any:
    from numba.core.caching import FunctionCache
    from numba.core.runtime import rtsys

    class QuickCache(FunctionCache):
        """Numba's cache of compiled functions, without what Numba loads before it looks there.

        That is all it needs to compile, and takes half a second, most of what a start of the program spends on its
        kernels. A function that is not in the cache has it loaded by the compiler.
        """

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            if not _is_tried():
                return super().load_overload(sig, target_context)
            rtsys.initialize(target_context)  # what arrays are allocated by
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)

    class LoopCache(_Forgiving, QuickCache):
        """The cache of a loop for the processor."""

    return LoopCache


@functools.cache
def _linked_cache() -> Any:
    return linked_cache(_loop_cache())


@functools.cache
def _kernel_cache() -> Any:
    from numba.cuda.dispatcher import CUDACache

    class KernelCache(_Forgiving, CUDACache):
        """Numba's cache of kernels, whose entries know what they were made of."""

        def __init__(self, function: Any, made_of: str, stamp: str) -> None:
            super().__init__(function)
            self._made_of = made_of
            self._cache_file._source_stamp = (self._cache_file._source_stamp, stamp)

        def _index_key(self, sig: Any, codegen: Any) -> Any:
            return (*super()._index_key(sig, codegen), self._made_of)

    return KernelCache


_noted: set[str] = set()


def _note_not_kept(problem: BaseException) -> None:
    """Log why something compiled is not kept or not found: what the system refuses, once for each cause."""
    if not isinstance(problem, OSError):
        log.info("what was compiled cannot be kept or read", exc_info=problem)
        return
    why = "the disk is full" if problem.errno == errno.ENOSPC else problem.strerror or str(problem)
    if why not in _noted:
        _noted.add(why)
        log.warning(
            "What is compiled cannot be kept (%s), so that it is compiled anew at every start: free some space, or set "
            "NUMBA_CACHE_DIR to a folder that can be written",
            why,
        )


# --------------------------------------------------------------------------------------- loops for the processor

loop: Compiler = _kept()
"""Compile a function that Python calls."""

part: Compiler = _kept(no_cpython_wrapper=True)
"""Compile a function that only compiled ones call. Python must not: there is no entry, and the process would end."""

loop_without_allocation: Compiler = _kept(_nrt=False)
"""``loop`` for a function that allocates nothing, so that nothing counts references to its arrays."""

part_without_allocation: Compiler = _kept(no_cpython_wrapper=True, _nrt=False)
"""``part`` for a function that allocates nothing."""

part_without_checks: Compiler = _kept(no_cpython_wrapper=True, _nrt=False, error_model="numpy")
"""``part_without_allocation`` whose divisions by 0 are not errors: a loop with a check is not made vectors of."""

inlined: Compiler = _compiler(
    lambda function: _declare(function, no_cpython_wrapper=True, _nrt=False, forceinline=True)
)
"""``part_without_allocation`` for a function that becomes part of every function that calls it."""


# -------------------------------------------------------------------------------- until a function is compiled


class _Deputised(Generic[Result_co]):
    """A compiled function, for which another one that needs no compiler answers while ``stand_in`` says so."""

    def __init__(self, compiled: Any, module: str) -> None:
        self._compiled, self._module = compiled, module
        self.py_func: Callable[..., Any] = compiled.py_func

    def __call__(self, *arguments: Any) -> Result_co:
        if _standing_in.is_set() and not getattr(_here, "compiled", False):
            answer: Result_co = self._deputy(*arguments)
            return answer
        found: Result_co = self._compiled(*arguments)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)

    @functools.cached_property
    def _deputy(self) -> Callable[..., Any]:
        deputy: Callable[..., Any] = getattr(import_module(self._module), self.py_func.__name__.lstrip("_"))
        return deputy

    @property
    def kept(self) -> bool:
        """Whether some form of it is kept for this processor."""
        magic = self._compiled.targetctx.codegen().magic_tuple()
        return any(key[1] == magic for key in self._compiled._cache._cache_file._load_index())


_deputised: list[_Deputised[Any]] = []
_standing_in = Event()
_here = local()


def deputy(module: str) -> Callable[[Compiled[Result_co]], Compiled[Result_co]]:
    """Return a decorator of a loop: the function of its name in ``module`` answers in its place while it is compiled.

    Other compiled functions must not call it.
    """

    def decorate(compiled: Compiled[Result_co]) -> Compiled[Result_co]:
        if not hasattr(compiled, "py_func"):
            return compiled  # Numba was told to compile nothing
        made = _Deputised[Result_co](compiled, module)
        _deputised.append(made)
        return made

    return decorate


def all_kept() -> bool | None:
    """Return whether every function with a deputy is kept on disk; None where nothing can be kept or known."""
    try:
        return all(each.kept for each in _deputised)
    except Exception as problem:  # no folder for a cache, or another version of Numba
        log.debug("whether kernels are kept is unknown", exc_info=problem)
        return None


def stand_in(standing: bool) -> None:
    """Let deputies answer from now on, or compiled functions again; in all threads."""
    if standing:
        _standing_in.set()
    else:
        _standing_in.clear()


def deputies_answer() -> bool:
    """Return whether deputies answer."""
    return _standing_in.is_set()


@contextmanager
def compiled_here() -> Iterator[None]:
    """Let compiled functions answer within the block, in this thread, whatever others do."""
    _here.compiled = True
    try:
        yield
    finally:
        _here.compiled = False


# ------------------------------------------------------------------------------------------- kernels for a card

_PACKAGE = Path(__file__).resolve().parents[1]


def keep_compiled(entry: Any, body: Any, registers: int = 0) -> Any:
    """Let a CUDA dispatcher keep what it compiles of a body with at most so many registers; return the dispatcher.

    It stays as it is where nothing is compiled, where no folder can be written, and where it closes over something that
    has no lasting description.
    """
    from wayfront.devices.cuda_support import COMPILING  # which brings what compiles for cards

    made_of = _description(body) if COMPILING else None
    if made_of is None:
        return entry

    def make_cache() -> Any:
        stamp = _stamp(Path(body.__code__.co_filename))
        return _kernel_cache()(entry.py_func, f"{registers} {made_of}", stamp)

    with suppress(ImportError, AttributeError, TypeError):  # another numba-cuda: it compiles at every start
        _let_keep(entry, make_cache)
    return entry


@functools.cache
def _stamp(file: Path) -> str:
    """Return a text that changes with every source of the engine and with those beside a file."""
    beside = "" if file.is_relative_to(_PACKAGE) else _listed(file.parent.glob("*.py"))
    return hashlib.sha256((_package_sources() + beside).encode()).hexdigest()


@functools.cache
def _package_sources() -> str:
    return _listed(_PACKAGE.rglob("*.py"))  # some 400 files: once, not for each file that has kernels


def _listed(sources: Iterable[Path]) -> str:
    found = ((path, path.stat()) for path in sorted(sources))
    return "\n".join(f"{path} {state.st_mtime_ns} {state.st_size}" for path, state in found)


def _description(value: Any) -> str | None:
    """Return a text of what a function is made of, the same in every process; None if there is no such text."""
    function = getattr(value, "py_func", value)
    if not isinstance(function, FunctionType):
        text = repr(value)
        return None if " at 0x" in text else text
    cells = [_description(cell.cell_contents) for cell in function.__closure__ or ()]
    if None in cells:
        return None
    code = hashlib.sha256(_code_text(function.__code__).encode()).hexdigest()
    return f"{function.__qualname__} {code} {function.__defaults__!r} ({', '.join(map(str, cells))})"


def _code_text(code: CodeType) -> str:
    constants = [_code_text(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {constants}"


# ------------------------------------------------------------------------------- noticing that kernels are compiled

_COMPILING, _PASS_FOR_A_CARD = "numba:compile", "numba-cuda:run_pass"
"""What Numba and numba-cuda report: a function, and one of the many passes over one."""
_UNNOTICED_S = 0.4
"""Compiling that takes no longer, as for one small loop, is not worth a word."""


class _Watch:
    """Calls a function once, as soon as compiling has taken a while; loading from Numba's cache is no compiling."""

    def __init__(self, notify: Callable[[], object]) -> None:
        self._notify = notify
        self._began = self._spent_s = 0.0
        self._depth, self._notified = 0, False

    def begin(self) -> None:
        """Note that a function begins to be compiled, or a pass over one; it compiles those that it calls within."""
        if self._depth == 0:
            self._began = time.perf_counter()
        self._depth += 1
        self._look()

    def end(self) -> None:
        """Note that that is done."""
        self._look()
        self._depth -= 1
        if self._depth == 0:
            self._spent_s += time.perf_counter() - self._began

    def _look(self) -> None:
        if not self._notified and self._spent_s + time.perf_counter() - self._began > _UNNOTICED_S:
            self._notified = True
            self._notify()


@contextmanager
def told_of_compiling(notify: Callable[[], object]) -> Iterator[None]:
    """Call ``notify`` once if kernels are compiled for more than a moment within the block, for whatever device."""
    from numba.core import event

    watch = _Watch(notify)
    sources = [(event, _COMPILING), *((of_cards, _PASS_FOR_A_CARD) for of_cards in _of_cards())]
    listening = [(events, kind, _listener(events, watch)) for events, kind in sources]
    for events, kind, listener in listening:
        events.register(kind, listener)
    try:
        yield
    finally:
        for events, kind, listener in listening:
            events.unregister(kind, listener)


@functools.cache
def _watch_in_notebooks() -> None:
    """Print the notice once if a notebook waits for kernels: nothing else there says why a first cell takes long."""
    if "ipykernel" in sys.modules:
        _watching.enter_context(told_of_compiling(lambda: sys.stderr.write(f"wayfront: {NOTICE}\n")))


def _listener(events: Any, watch: _Watch) -> Any:
    """Return a listener of the class that one of Numba's two modules of events asks for."""

    class Listener(events.Listener):
        def on_start(self, event: Any) -> None:
            watch.begin()

        def on_end(self, event: Any) -> None:
            watch.end()

    return Listener()


def _of_cards() -> list[Any]:
    """Return the events of numba-cuda, which has its own; none without it, or where it simulates."""
    try:
        from numba.cuda.core import event as of_cards
    except ImportError:
        return []
    from numba.core import event

    return [] if of_cards is event else [of_cards]
