"""Keep kernels that were compiled for a card between two starts of the program: compiling takes up to 40 s.

Numba keeps a kernel beside the file of its body, and looks there only at that file's date, at the entry's own code and
at the types of its arguments. Ours are made of more: of device functions from other files, of what a factory closed
over, of a limit of registers. So a kept kernel is taken only where all of these are as they were.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from wayfront.devices.cuda_support import COMPILING

_PACKAGE = Path(__file__).resolve().parents[1]


def keep_compiled(entry: Any, body: Any, registers: int = 0) -> Any:
    """Let a CUDA dispatcher keep what it compiles of a body with at most so many registers; return the dispatcher.

    It stays as it is where nothing is compiled, where no folder can be written, and where it closes over something that
    has no lasting description.
    """
    made_of = _description(body) if COMPILING else None
    if made_of is None:
        return entry
    try:
        entry._cache = _cache_class()(entry.py_func, f"{registers} {made_of}", _stamp(Path(body.__code__.co_filename)))
    except (RuntimeError, OSError, ImportError, AttributeError, TypeError):
        return entry  # no folder, or another numba-cuda: it compiles at every start
    return entry


@functools.cache
def _cache_class() -> Any:
    from numba.cuda.dispatcher import CUDACache

    class KernelCache(CUDACache):
        """Numba's cache of kernels, whose entries know what they were made of."""

        def __init__(self, function: Any, made_of: str, stamp: str) -> None:
            super().__init__(function)
            self._made_of = made_of
            self._cache_file._source_stamp = (self._cache_file._source_stamp, stamp)

        def _index_key(self, sig: Any, codegen: Any) -> Any:
            return (*super()._index_key(sig, codegen), self._made_of)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """Return the kernel of a signature, None where there is none that can be read."""
            try:
                return super().load_overload(sig, target_context)
            except (OSError, EOFError, pickle.UnpicklingError, AttributeError, TypeError, ValueError, KeyError):
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            """Keep a kernel where it can be kept."""
            try:
                super().save_overload(sig, data)
            except (OSError, RuntimeError, pickle.PicklingError):
                return  # a full disk, or code linked from elsewhere

    return KernelCache


@functools.cache
def _stamp(file: Path) -> str:
    """Return a text that changes with every source of the engine and with those beside a file."""
    beside = "" if file.is_relative_to(_PACKAGE) else _listed(file.parent.glob("*.py"))
    return hashlib.sha256((_package_sources() + beside).encode()).hexdigest()


@functools.cache
def _package_sources() -> str:
    return _listed(_PACKAGE.rglob("*.py"))  # some 400 files: once, not for each file that has kernels


def _listed(sources: Iterable[Path]) -> str:
    told = ((path, path.stat()) for path in sorted(sources))
    return "\n".join(f"{path} {state.st_mtime_ns} {state.st_size}" for path, state in told)


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
