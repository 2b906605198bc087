"""Run the notebooks of docs/notebooks as Jupyter does, and store what their cells show: ``make notebooks``.

All code runs in this process, one namespace to a notebook, so that no kernel has to be installed and the tests can run
every cell in a second. What a cell shows is what it prints, and its last expression: its picture if it has one, else its
HTML, beside its text.
"""

from __future__ import annotations

import ast
import io
import json
import linecache
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import gettempdir
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"
VARIES = "varies"
"""The tag of a cell whose text differs from run to run, such as times."""

Cell = dict[str, Any]


def notebooks() -> list[Path]:
    """Return the notebooks."""
    return sorted(FOLDER.glob("*.ipynb"))


def cells_of(path: Path) -> list[Cell]:
    """Return the cells of a notebook."""
    cells: list[Cell] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def source_of(cell: Cell) -> str:
    """Return the text of a cell."""
    return "".join(cell["source"])


def run_cells(cells: list[Cell]) -> Iterator[tuple[Cell, list[Cell]]]:
    """Yield each cell of code with the outputs that running it makes."""
    space: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in cells:
        if cell["cell_type"] == "code":
            count += 1
            yield cell, _run(source_of(cell), count, space)


def texts_of(outputs: list[Cell]) -> list[str]:
    """Return what outputs say in words: what was printed, and the text of what was shown."""
    return ["".join(output["text"] if "text" in output else output["data"]["text/plain"]) for output in outputs]


def store(path: Path) -> None:
    """Run a notebook and write it again with the outputs of now."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for count, (cell, outputs) in enumerate(run_cells(notebook["cells"]), 1):
        cell["execution_count"], cell["outputs"] = count, outputs
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _run(source: str, count: int, space: dict[str, Any]) -> list[Cell]:
    # Named as Jupyter names them: Numba then keeps what it compiles of a cell's functions as it does there.
    name = str(Path(gettempdir(), f"ipykernel_{count}", f"{abs(hash(source))}.py"))
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    body = ast.parse(source, name)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(body, name, "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), space)
    outputs: list[Cell] = []
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)}
        )
    if value is not None and not source.rstrip().endswith(";"):
        shown = {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": _shown(value)}
        outputs.append(shown)
    return outputs


def _shown(value: Any) -> dict[str, Any]:
    """Return a value by media type."""
    shown: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    png = value._repr_png_() if hasattr(value, "_repr_png_") else None
    if png is not None:
        shown["image/png"] = b64encode(png).decode("ascii")
    elif hasattr(value, "_repr_html_"):
        shown["text/html"] = value._repr_html_().splitlines(keepends=True)
    return shown


if __name__ == "__main__":
    for notebook in notebooks():
        store(notebook)
        print(f"{notebook.name}: {notebook.stat().st_size:,} bytes", file=sys.stderr)
