"""Run the notebooks of docs/notebooks as Jupyter does, and store what their cells show: ``make notebooks``.

All code runs in this process, one namespace to a notebook, so that no kernel has to be installed and the tests can run
every cell in a second. What a cell shows is what it prints, and its last expression: the text of that, and its picture
if it has one, else its HTML.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
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
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    with TemporaryDirectory() as folder:
        for count, cell in enumerate(code, 1):
            yield cell, _run(source_of(cell), Path(folder, f"cell_{count}.py"), space)


def texts_of(outputs: list[Cell]) -> list[str]:
    """Return what outputs say in words: what was printed, and the text of what was shown."""
    return ["".join(output["text"] if "text" in output else output["data"]["text/plain"]) for output in outputs]


def store(path: Path) -> None:
    """Run a notebook and write it again with the outputs of now."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for count, (cell, outputs) in enumerate(run_cells(notebook["cells"]), 1):
        cell["execution_count"], cell["outputs"] = count, outputs
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def page_of(path: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as a page of Markdown, and the pictures that it shows by name."""
    text: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in cells_of(path):
        source = source_of(cell)
        text.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            shown = output.get("data", {})
            if "image/png" in shown:
                name = f"{path.stem}-{len(pictures) + 1}.png"
                pictures[name] = b64decode(shown["image/png"])
                text.append(f"![What the cell shows]({name})")
            elif "text/html" in shown:
                text.append("".join(shown["text/html"]))
            else:
                said = "".join(output.get("text", shown.get("text/plain", ())))
                text.append(f"```text\n{said.rstrip()}\n```")
    text.insert(1, f"[Download this notebook]({path.name}).")
    return "\n\n".join(text) + "\n", pictures


def _run(source: str, path: Path, space: dict[str, Any]) -> list[Cell]:
    """Run a cell from a file, since Numba keeps what it compiles beside the source."""
    path.write_text(source, encoding="utf-8")
    name, body = str(path), ast.parse(source)
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
        shown = {"output_type": "display_data", "metadata": {}, "data": _shown(value)}
        outputs.append(shown)
    return outputs


def _shown(value: Any) -> dict[str, Any]:
    """Return a value by media type."""
    shown: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    media = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
    png = value._repr_png_() if hasattr(value, "_repr_png_") else None
    if png is not None:
        media["image/png"] = b64encode(png).decode("ascii")
    if "image/png" in media:
        shown["image/png"] = media["image/png"]
    elif "text/html" in media or hasattr(value, "_repr_html_"):
        html = media["text/html"] if "text/html" in media else value._repr_html_()
        shown["text/html"] = html.splitlines(keepends=True)
    return shown


if __name__ == "__main__":
    for notebook in notebooks():
        store(notebook)
        print(f"{notebook.name}: {notebook.stat().st_size:,} bytes", file=sys.stderr)
