"""Find where threads of a body may overwrite each other's results: a race, which one core never shows.

A thread that reads an element, and then writes to it what depends on what it read, loses what another thread wrote in
between. Looked for is that pattern alone, in the body's text: an element whose index is a number, or was read from
memory at a place that other threads may read too, is read and written there without an atomic operation.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable


def find_race(body: Callable[..., None]) -> str:
    """Return in one sentence, with file and line, where a body's threads may overwrite each other; "" where nowhere."""
    try:
        lines, first = inspect.getsourcelines(body)
    except OSError:
        return ""
    (function,) = ast.parse(textwrap.dedent("".join(lines))).body
    assert isinstance(function, ast.FunctionDef)
    nodes = list(ast.walk(function))
    shared = _read_elsewhere(nodes, function.args.args[0].arg)
    read = {ast.dump(each.slice) + ast.dump(each.value) for each in _elements(nodes) if isinstance(each.ctx, ast.Load)}
    for node in nodes:
        target = node.target if isinstance(node, ast.AugAssign) else _only_target(node)
        if not isinstance(target, ast.Subscript) or not _is_shared(target.slice, shared):
            continue
        if isinstance(node, ast.AugAssign) or ast.dump(target.slice) + ast.dump(target.value) in read:
            element = ast.unparse(target)
            at = f"{inspect.getfile(body)}:{first + target.lineno - 1}"
            return (
                f"{at}: {body.__name__} reads {element} and writes it in two steps, between which another thread may "
                "write there, on a card or on several cores: use an atomic operation, such as atomic_min "
                "(wayfront.devices.atomics)"
            )
    return ""


def _elements(nodes: list[ast.AST]) -> list[ast.Subscript]:
    return [node for node in nodes if isinstance(node, ast.Subscript)]


def _only_target(node: ast.AST) -> ast.expr | None:
    """Return what is set to something that is no constant: threads may well set a mark to the same number."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and not isinstance(node.value, ast.Constant):
        return node.targets[0]
    return None


def _read_elsewhere(nodes: list[ast.AST], index: str) -> set[str]:
    """Return the variables that hold an element, but not that of the thread's own index: lists hold a node once."""
    return {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)
        for target in node.targets
        if isinstance(target, ast.Name) and not _is_name(node.value.slice, index)
    }


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_shared(index: ast.expr, shared: set[str]) -> bool:
    return isinstance(index, ast.Constant | ast.Subscript) or (isinstance(index, ast.Name) and index.id in shared)
