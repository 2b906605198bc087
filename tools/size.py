"""Print how much code there is, by room: files, lines of code, their median, and the share of imports.

``python tools/size.py [DEPTH]`` counts lines that are neither blank nor comment nor docstring, for folders down to
``DEPTH`` (2), of engine, window, tests and tools; and the words of the documentation.
"""

from __future__ import annotations

import ast
import io
import statistics
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOTS = ("engine/wayfront", "gui/wayfront_gui", "tests", "tools")
DOCS = ("README.md", "CONTRIBUTING.md", "docs/**/*.md")
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True, slots=True)
class Size:
    """Lines of one file: of code, and those of them that import."""

    code: int
    imports: int


def size_of(text: str) -> Size:
    """Count the lines of a module."""
    tree = ast.parse(text)
    prose = {line for each in _docstrings(tree) for line in range(each.lineno, (each.end_lineno or 0) + 1)}
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    imports = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    return Size(len(code - prose), len(imports))


def _docstrings(tree: ast.Module) -> Iterator[ast.Expr]:
    """Yield every string that stands alone: docstrings, and the texts below constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


def rooms(root: Path, depth: int) -> dict[str, list[Size]]:
    """Return the sizes of a folder's modules by room, without those that hold nothing, as most ``__init__.py``."""
    found: dict[str, list[Size]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        size = size_of(path.read_text(encoding="utf-8"))
        if size.code:
            found["/".join(path.relative_to(root).parts[:-1][:depth])].append(size)
    return found


def main(depth: int = 2) -> None:
    """Print the tables."""
    for name in ROOTS:
        found = rooms(ROOT / name, depth)
        every = [size for sizes in found.values() for size in sizes]
        code, imports = sum(size.code for size in every), sum(size.imports for size in every)
        middle = statistics.median(size.code for size in every)
        print(f"{name}: {code:,} lines in {len(every)} files, median {middle:g}, {imports / code:.0%} imports")
        for room, sizes in sorted(found.items()):
            print(f"  {room or '.':32} {sum(size.code for size in sizes):7,} {len(sizes):4}")
    words = sum(len(path.read_text(encoding="utf-8").split()) for each in DOCS for path in ROOT.glob(each))
    print(f"documentation: {words:,} words")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
