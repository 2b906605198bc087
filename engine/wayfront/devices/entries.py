"""Entry points of kernels: compiled code takes single arrays and numbers, kernel bodies take named groups of them.

A *group* is a NamedTuple that a body names as the type of a parameter, such as ``Arcs(offsets, targets, weights)``:
the type checker then finds swapped arguments. Numba can pass tuples to compiled code, but looks at the type of every
element at every launch, which costs 10 µs more than the same elements as single arguments. So the entry point of a
body takes the elements one by one, puts the groups together again, which compiles to nothing, and calls the body.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any, get_type_hints


def make_entry(
    body: Callable[..., None],
    suffix: str,
    *,
    compiled_body: Any,
    leading: Sequence[str] = (),
    opening: str = "    ",
    given: Sequence[str] = (),
    **names: Any,
) -> Callable[..., Any]:
    """Write the function that calls ``body`` on its device, with the elements of groups as single arguments.

    CUDA kernels cannot take ``*args``, so the text is generated. The function takes the arguments ``leading``, and then
    those of the body but for the first ones, ``given``, which the lines in ``opening`` set. ``compiled_body`` is the
    body as compiled for the device; ``names`` are the other names in the opening lines. The function claims to stand
    in the body's own file, where numba's on-disk cache looks whether it is still valid; its name changes with its
    arguments, since the cache would not notice that fields of a group were swapped.
    """
    names = {"__name__": body.__module__, "body": compiled_body, **names}
    flat, calls = [], list(given)
    for parameter, kind in _parameters(body)[len(given) :]:
        elements, expression = _put_together(parameter, kind, names)
        flat += elements
        calls.append(expression)
    signature = ", ".join((*leading, *flat))
    name = f"{body.__name__}_{suffix}_{zlib.crc32(signature.encode()):08x}"
    source = f"def {name}({signature}):\n{opening}body({', '.join(calls)})\n"
    exec(compile(source, body.__code__.co_filename, "exec"), names)
    entry: Callable[..., Any] = names[name]
    return entry


def make_launch(
    body: Callable[..., None],
    entry: Callable[..., None],
    call: str,
    *,
    given: int,
    most: int | None = None,
    beyond: Callable[..., None] | None = None,
    **names: Any,
) -> Any:
    """Return a function of (first, *arguments of the body) that calls the entry with the elements of the arguments.

    ``call`` writes the entry's leading arguments, by means of ``first`` and ``names``; the body's first ``given``
    parameters are not among the arguments. Where ``first`` is above ``most``, ``beyond`` is called in place of the
    entry, with ``first`` and the elements. Written out, a launch costs a microsecond less than by way of a list.
    """
    parameters = _parameters(body)[given:]
    signature = ", ".join(("first", *(name for name, _ in parameters)))
    elements = "".join(f", {_taken_apart(name, kind)}" for name, kind in parameters)
    expression = f"_entry({call}{elements})"
    if most is not None:
        expression += f" if first <= _most else _beyond(first{elements})"
    launch = eval(f"lambda {signature}: {expression}", {"_entry": entry, "_most": most, "_beyond": beyond, **names})
    launch.__qualname__ = body.__name__  # which an error names where arguments are missing
    return launch


def flatten(arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments with the elements of groups, and of groups within these, in place of the groups."""
    flat: list[Any] = []
    for argument in arguments:
        flat += flatten(argument) if isinstance(argument, tuple) else [argument]
    return flat


def _parameters(function: Callable[..., None]) -> list[tuple[str, Any]]:
    """Return the names and types of a function's parameters."""
    hints = get_type_hints(function)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [(name, hints.get(name)) for name in names]


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def _put_together(name: str, kind: Any, names: dict[str, Any]) -> tuple[list[str], str]:
    """Return the elements' names, and the expression that makes a group of them; note its type in ``names``."""
    if not _is_group(kind):
        return [name], name
    names[kind.__name__] = kind
    fields = [_put_together(f"{name}_{field}", inner, names) for field, inner in get_type_hints(kind).items()]
    expression = ", ".join(inner for _, inner in fields)
    return [element for elements, _ in fields for element in elements], f"{kind.__name__}({expression})"


def _taken_apart(expression: str, kind: Any) -> str:
    """Return the expression that lists the elements of a group."""
    if not _is_group(kind):
        return expression
    fields = get_type_hints(kind)
    if not any(_is_group(inner) for inner in fields.values()):
        return f"*{expression}"
    return ", ".join(_taken_apart(f"{expression}.{field}", inner) for field, inner in fields.items())
