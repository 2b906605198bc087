"""How functions that only compiled ones call are compiled: as far as their callers need them, and no further.

Numba optimises each function with all that it calls and makes machine code of it, although a function that Python never
calls becomes part of those that do, where it is optimised again. For the functions by which a network is prepared that
was a third of the time of compiling. Here such a function stays in LLVM's form, after the cheap passes by which Numba
itself begins, and is kept so on disk. The same is done to what Numba itself brings, as for ``np.empty``, which it
compiles anew for each type.

What Numba makes while it compiles are many small objects that refer to each other. Python looks through all of them
again and again for what can go, which took a tenth of the time, and is left until a function is compiled.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any


@functools.cache
def entry_compiler() -> Any:
    """Return the class of Numba's compilers for functions that Python calls."""
    _link_what_numba_brings()
    return _compiler("drop_annotation", lambda _state: None)


@functools.cache
def linking_compiler() -> Any:
    """Return the class of Numba's compilers for functions that Python does not call."""

    def make_library(state: Any) -> None:
        state.library = _library()(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()

    return _compiler("make_linked_library", make_library)


def _compiler(name: str, prepare: Callable[[Any], None]) -> Any:
    """Return the class of compilers like Numba's that prepare a function in another way, before it is lowered.

    The source with its types, which nobody reads, is not kept.
    """
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import LoweringPass, register_pass
    from numba.core.typed_passes import AnnotateTypes

    @register_pass(mutates_CFG=False, analysis_only=False)
    class Prepare(LoweringPass):
        """Prepares a function whose types are known."""

        _name = name

        def __init__(self) -> None:
            LoweringPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            state.type_annotation = ""
            prepare(state)
            return True

    class PreparingCompiler(CompilerBase):
        """Numba's compiler with one pass more, while nothing is collected."""

        def compile_extra(self, func: Any) -> Any:
            with _compiling:
                return super().compile_extra(func)

        def define_pipelines(self) -> list[Any]:
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.add_pass_after(Prepare, AnnotateTypes)
            passes.finalize()
            return [passes]

    return PreparingCompiler


class _Compiling:
    """While functions of ours are compiled, one within another, nothing is collected."""

    depth = 0
    _collected = False

    def __enter__(self) -> None:
        from numba.core.compiler_lock import global_compiler_lock

        global_compiler_lock.acquire()
        if self.depth == 0:
            self._collected = gc.isenabled()
            gc.disable()
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        from numba.core.compiler_lock import global_compiler_lock

        self.depth -= 1
        if self.depth == 0 and self._collected:
            gc.enable()
        global_compiler_lock.release()


_compiling = _Compiling()


@functools.cache
def _link_what_numba_brings() -> None:
    """Let Numba's own pieces be linked too, where they become part of functions of ours."""
    from numba import jit
    from numba.core.target_extension import cpu_target, jit_registry

    def linked(**options: Any) -> Any:
        if _compiling.depth:
            options = options | {
                "pipeline_class": linking_compiler(),
                "no_cpython_wrapper": True,
                "no_cfunc_wrapper": True,
            }
        return jit(**options)

    del jit_registry[cpu_target]
    jit_registry[cpu_target] = linked


@functools.cache
def _library() -> Any:
    from llvmlite import binding
    from numba.core.codegen import JITCodeLibrary

    class LinkedLibrary(JITCodeLibrary):
        """What callers link. There is no machine code of it, so that nothing in it has an address."""

        @property
        def codegen(self) -> _WithoutEnvironments:
            return _WithoutEnvironments(super().codegen)

        def get_pointer_to_function(self, name: str) -> int:
            return 0

        def serialize_using_object_code(self) -> Any:
            return self.serialize_using_bitcode()

        def take(self, bitcode: bytes) -> None:
            """Take what was kept."""
            self._final_module = binding.parse_bitcode(bitcode)
            self._finalize_final_module()

        def _optimize_final_module(self) -> None:
            codegen = self._codegen
            options = {"loop_vectorize": codegen._loopvect, "slp_vectorize": False, "opt": codegen._opt_level}
            passes, builder = codegen._module_pass_manager(cost="cheap", **options)
            passes.run(self._final_module, builder)

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    return LinkedLibrary


class _WithoutEnvironments:
    """A code generator that leaves environments alone: Numba notes their addresses in machine code."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Note nothing."""

    def unserialize_library(self, kept: tuple[str, str, bytes]) -> Any:
        """Return the library that ``serialize_using_bitcode`` described."""
        made = _library()(self._codegen, kept[0])
        made.take(kept[2])
        return made


def linked_cache(base: Any) -> Any:
    """Return a class of caches of functions that Python does not call, like ``base`` otherwise."""

    class Implementation(base._impl_class):
        def rebuild(self, target_context: Any, payload: Any) -> Any:
            return super().rebuild(_WithoutMachineCode(target_context), payload)

    class LinkedCache(base):
        _impl_class = Implementation

    return LinkedCache


class _WithoutMachineCode:
    """A target whose kept functions are linked."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def codegen(self) -> _WithoutEnvironments:
        """Return its code generator."""
        return _WithoutEnvironments(self._target.codegen())
