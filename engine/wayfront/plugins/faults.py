"""Say in one sentence, with file and line, what went wrong in a plug-in's own code."""

from __future__ import annotations

import ast
import importlib
import inspect
import linecache
import re
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path

from wayfront.safe.errors import WayfrontError
from wayfront.safe.text import printable

_PROGRAM = Path(__file__).resolve().parents[1]
_IMPORTING = Path(importlib.__file__).resolve().parent
_LONGEST = 300


def describe_fault(problem: BaseException, home: Path | None = None) -> str:
    """Return ``FILE:LINE: what it is``, with the line of a plug-in's own code by which it came up.

    ``home`` is the plug-in's file; without it, the folder counts of the first file that is neither this program's nor
    Python's for importing. Where no such line is to be found, only the file, if it is known.
    """
    what = " ".join(str(problem).split())
    if isinstance(problem, SyntaxError) and problem.filename:
        return printable(f"{problem.filename}:{problem.lineno}: {type(problem).__name__}: {problem.msg}")
    if not isinstance(problem, WayfrontError):
        what = f"{type(problem).__name__}: {what}" if what else type(problem).__name__
    where = own_line(problem, home)
    what = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}…"
    if where is None:
        return printable(f"{home}: {what}" if home is not None and str(home) not in what else what)
    return printable(f"{where[0]}:{where[1]}: {what}")


def own_line(problem: BaseException, home: Path | None) -> tuple[str, int] | None:
    """Return file and number of the last line of a plug-in's own code in a traceback, None where there is none."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.lineno is not None]
    in_file = [frame for frame in frames if home is not None and Path(frame.filename) == home]
    if not in_file:
        folder = home.parent if home is not None else _first_folder(frames)
        in_file = [frame for frame in frames if folder is not None and Path(frame.filename).parent == folder]
    return (in_file[-1].filename, in_file[-1].lineno or 0) if in_file else None


def _first_folder(frames: list[traceback.FrameSummary]) -> Path | None:
    """Return the folder of the first file that is neither of this program nor of Python's imports."""
    for frame in frames:
        path = Path(frame.filename)
        # Where importlib_metadata is installed, its entry points take the place of Python's.
        importing = path.is_relative_to(_IMPORTING) or path.parent.name == "importlib_metadata"
        if path.is_absolute() and not path.is_relative_to(_PROGRAM) and not importing:
            return path.parent
    return None


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_AT = re.compile(
    r'(?:(?:at|from) (?P<path>[^\n]{1,500}?) \((?P<line>\d+)\))|(?:File "(?P<file>[^"\n]+)", line (?P<number>\d+):)'
)
_BODY = re.compile(r"CPUDispatcher\(<function (\w+) at|<function (\w+) at 0x")
_PIPELINE = re.compile(r"^Failed in \w+ mode pipeline \(step: [^)]*\)\s*", re.MULTILINE)
_IN_SIMULATOR = re.compile(r"tid=\[")
"""How the simulator begins what a thread raised."""
_LONGEST_QUOTE = 200
_OF_NUMBA = ("NumbaError", "UnsupportedBytecodeError")
_PLAIN = {
    "setitem": "way to set an element",
    "getitem": "way to read an element",
    "IMPORT_NAME": "import",
}
"""What some of Numba's names mean to people."""

_KNOWN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(words, re.DOTALL), sentence)
    for words, sentence in (
        (
            r"Untyped global name '(?P<a>\w+)':\s*Cannot determine Numba type of <class 'function'>",
            "it calls {a}, which is not compiled: decorate {a} with @callable_in_bodies "
            "(from wayfront.devices.atomics)",
        ),
        (
            r"Untyped global name '(?P<a>\w+)':\s*Cannot type empty (?P<b>\w+)",
            "{a} is a {b} outside of the body, which compiled code cannot change: request an array with run.array, and "
            "hand it over as an argument",
        ),
        (
            r"Untyped global name '(?P<a>\w+)':\s*Cannot determine Numba type of <class '(?P<b>[\w.]+)'>",
            "{a} is a {b}, which compiled code cannot read: hand over numbers, arrays or groups of them as arguments",
        ),
        (
            r"NameError: (?:global )?name '(?P<a>\w+)' is not defined",
            "the name {a} is not defined: define or import it",
        ),
        (
            r"NRT required but not enabled|Only accept returning of array passed into the function|"
            r"imprecise type: (?:list|reflected list|dict|DictType|set|reflected set)\(",
            "a list, array, dictionary or text is made here, and a body may make none: request an array with "
            "run.array, and hand it over as an argument",
        ),
        (
            r"Cannot modify readonly array",
            "this array is read-only, as the network's arrays are, and those outside of bodies: write to an array "
            "requested with run.array, and handed over as an argument",
        ),
        (
            r"Unknown attribute '(?P<a>\w+)' of type (?P<b>\w+)",
            "{b} has no attribute {a}: look it up in the type's class",
        ),
        (
            r"Cannot resolve setattr: \([^\n]{0,500}\)\.(?P<a>\w+)",
            "the attribute {a} cannot be set: write to an element, as in array[0] = 1",
        ),
        (
            r"Cannot unify (?>(?P<b>.{1,300}?) and )(?P<c>.{1,300}?) for "
            r"'(?P<a>[\w.]{1,200}?)(?:\.\d+)?'",
            "{a} is of type {b} once and of type {c} another time: a variable has one type in a body",
        ),
        (
            r"Exception matching is limited|exception_match",
            "a body catches no exceptions: test the condition before with if",
        ),
        (
            r"due to \"TypeError: (?P<a>[^\"]+)\"",
            "the call does not fit the function ({a}): compare its arguments with the function's",
        ),
        (
            r"No implementation of function Function\(<(?:[^\s<>']+ )*?'?(?:\w+\.)*+(?P<a>\w+)'?(?: at 0x\w+)?>\) "
            r"found for signature:\s*>>> (?P<b>[^\n]+)",
            "Numba has no {a} for these types, {b}: use numbers and elements of arrays",
        ),
        (
            r"Use of unsupported opcode \((?P<a>\w+)\)|The '(?P<b>[^':]+):?' construct is not supported",
            "Numba compiles no {a}{b}: a body has loops, conditions, arithmetic and elements of arrays; do the rest in "
            "the search",
        ),
    )
)
"""Words of Numba's texts, and what they mean to the author of a kernel."""


def explain_compiling(error: BaseException, home: Path) -> str | None:
    """Return why a kernel does not compile, as ``FILE:LINE: BODY does not compile (SOURCE): WHAT``.

    ``home`` is the file of the search, whose folder holds its kernels. None for an error that is not the compiler's.
    """
    if not any(kind.__name__ in _OF_NUMBA for kind in type(error).__mro__):
        return _explain_failure(error, home)
    linecache.checkcache()  # the author may have changed the file since
    text = _COLOURS.sub("", str(error))
    sentence, missing = _meaning(text)
    body = next((name for found in _BODY.finditer(text) for name in found.groups() if name), "")
    path, line = _first_line(text, home) or (home, _line_of_name(home, body, missing) if missing else 0)
    at = _function_at(path, line) or body or "a body"
    if not line:
        path, line = _launched_at(error, home)
        at = body or "what is launched here"
    source = linecache.getline(str(path), line).strip()
    what = f"{at} does not compile{f' ({source})' if source else ''}: {sentence}"
    return printable(f"{path}:{line}: {what}" if line else f"{path}: {what}")


def _explain_failure(error: BaseException, home: Path) -> str | None:
    """Return that Numba itself fell over a kernel, and where that was launched; None where it was not Numba."""
    frames = traceback.extract_tb(error.__traceback__)
    path, line = _launched_at(error, home)
    if _IN_SIMULATOR.match(str(error)):
        return None  # a body that runs as Python, and failed
    if not line or not {"numba", "numba_cuda"} & set(Path(frames[-1].filename).parts):
        return None
    what = f"{type(error).__name__}: {' '.join(str(error).split())[:_LONGEST_QUOTE]}"
    return printable(
        f"{path}:{line}: what is launched here does not compile ({what}): mostly a variable has two types, such as a "
        "number and None"
    )


def _launched_at(error: BaseException, home: Path) -> tuple[Path, int]:
    file, line = own_line(error, home) or (str(home), 0)
    return Path(file), line


def _first_line(text: str, home: Path) -> tuple[Path, int] | None:
    """Return the first file and line that the text names in the folder of the search."""
    for found in _AT.finditer(text):
        path = Path(found["path"]) if found["path"] else home.with_name(Path(found["file"]).name)
        line = int(found["line"] or found["number"])
        if path.parent == home.parent and linecache.getlines(str(path)) and not _is_entry(path, line):
            return path, line
    return None


def _is_entry(path: Path, line: int) -> bool:
    """Whether a line is meant of the generated entry function, which claims to stand in the author's file."""
    return line <= 3 and "(" not in linecache.getline(str(path), line)


def _meaning(text: str) -> tuple[str, str]:
    """Return what is wrong in words, and the name that is missing, "" where none is."""
    for words, sentence in _KNOWN:
        found = words.search(text)
        if found is not None:
            parts = {key: " ".join((value or "").split())[:_LONGEST_QUOTE] for key, value in found.groupdict().items()}
            parts["a"] = _PLAIN.get(parts.get("a", ""), parts.get("a", ""))
            return sentence.format(**parts), parts.get("a", "") if "not defined" in sentence else ""
    first = next((line for line in _PIPELINE.sub("", text).splitlines() if line.strip()), "")
    return f"Numba says: {first.strip()[:_LONGEST_QUOTE]}", ""


def _line_of_name(path: Path, body: str, name: str) -> int:
    """Return the line of a function where a name first occurs, 0 where it does not."""
    inside = [each for function in _functions(path) if body in ("", function.name) for each in ast.walk(function)]
    return min((each.lineno for each in inside if isinstance(each, ast.Name) and each.id == name), default=0)


def _function_at(path: Path, line: int) -> str:
    """Return the name of the innermost function that holds a line, "" where none does."""
    holding = [f for f in _functions(path) if f.lineno <= line <= (f.end_lineno or f.lineno)]
    return max(holding, key=lambda function: function.lineno).name if holding else ""


def _functions(path: Path) -> list[ast.FunctionDef]:
    try:
        tree = ast.parse("".join(linecache.getlines(str(path))))
    except (SyntaxError, ValueError):
        return []
    return [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]


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
