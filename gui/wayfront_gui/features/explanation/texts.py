"""The explanation of each algorithm: one TOML file in ``assets/explanations``, read once, for panel and terminal.

A file is named as its algorithm; that of a plug-in's algorithm lies beside the file that declares it. It holds ``idea``
(text), ``look`` (what to look for on the map), ``sources``, ``cost`` (``order``, ``roads``, ``gpu``), ``code`` (pieces
of pseudo-code, each with the phases and modes of the steps that run it, the number of the line where these do most of
their ``work``, and of the test that fails where they lower nothing and all is in ``vain``) and ``figures`` (tables, the
papers' and ours). Line breaks mean something only in the code.
Nothing here knows Qt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wayfront.safe.errors import FormatError, WayfrontError
from wayfront.safe.files import read_at_most, why_unread
from wayfront.safe.tables import Table, decoded, read_table
from wayfront.searching.registry import algorithms
from wayfront_gui.resources import asset
from wayfront_gui.ui.translation import Catalogue, current, marked, translated, translated_message

FOLDER = "explanations"
NOTATION = marked("n nodes, m arcs, k steps, t threads, r relaxations an arc")
"""The letters used in every ``order``."""
LONGEST_FILE = 1 << 20
"""Bytes of a file that is taken for an explanation."""


class ExplanationError(WayfrontError, ValueError):
    """An explanation is missing, or its file is malformed."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of pseudo-code, and the steps it belongs to: those of ``phases`` and, if there are any, ``modes``.

    ``works``: it is where these steps do most of their work; ``tests``: where those do it that lower no distance.
    ``lowers``: it is below that test, and only steps that lower a distance run it.
    """

    text: str
    phases: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    works: bool = False
    tests: bool = False
    lowers: bool = False

    def is_run(self, phase: str, mode: str, *, in_vain: bool = False) -> bool:
        """Return whether a step of that phase and mode runs this line, one ``in_vain`` if no distance fell in it."""
        return phase in self.phases and (not self.modes or mode in self.modes) and not (in_vain and self.lowers)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a search costs: its order, and what that means on a road network and for a GPU."""

    order: str
    roads: str
    gpu: str


@dataclass(frozen=True, slots=True)
class Figures:
    """One small table: what was measured, on which hardware and when; ``ours`` if this program measured it.

    The first column names a row; a table of remarks alone has neither columns nor rows.
    """

    title: str
    hardware: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str
    ours: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """All texts and tables on one algorithm."""

    algorithm: str
    idea: str
    code: tuple[CodeLine, ...]
    look: tuple[str, ...]
    cost: Cost
    figures: tuple[Figures, ...]
    sources: tuple[str, ...]

    def lines_of(self, phase: str, mode: str, *, in_vain: bool = False) -> tuple[int, ...]:
        """Return the indices of the lines that a step of that phase and mode runs, ``in_vain`` if it lowers nothing."""
        return tuple(i for i, line in enumerate(self.code) if line.is_run(phase, mode, in_vain=in_vain))

    def line_at_work(self, phase: str, mode: str, *, in_vain: bool = False) -> int | None:
        """Return the index of the line where a step of that phase and mode does most of its work, likewise."""
        run = self.lines_of(phase, mode, in_vain=in_vain)
        tests = (i for i in run if in_vain and self.code[i].tests)
        return next(tests, next((i for i in run if self.code[i].works), None))


def explain(algorithm: str) -> Explanation:
    """Return the explanation of the algorithm of that name, in the language in use. Raises ``ExplanationError``."""
    known = explained()
    if algorithm in known:  # looked up, never a path: the name may come from a stranger's trace
        return _explained(asset(f"{FOLDER}/{algorithm}.toml"), 0, current())
    declared = next((each for each in algorithms() if each.name == algorithm), None)
    if declared is None:
        raise ExplanationError(f"there is no explanation of {algorithm!r}; there are: {', '.join(known)}")
    path = declared.home.with_name(f"{algorithm}.toml")
    try:
        return _explained(path, path.stat().st_mtime_ns, current())
    except OSError as problem:
        raise ExplanationError(f"{path}: {why_unread(problem)}; it would explain {algorithm}") from None


@cache
def _explained(path: Path, _changed: int, _catalogue: Catalogue | None) -> Explanation:
    return read_explanation(path)


def as_text(explanation: Explanation) -> str:
    """Return an explanation as plain text: what the panel shows, in the order in which it stands there."""
    declared = next((each for each in algorithms() if each.name == explanation.algorithm), None)
    title = [explanation.algorithm] if declared is None else [translated_message(declared.title), declared.paper]
    cost, code = explanation.cost, "\n".join(line.text for line in explanation.code)
    costs = (
        f"{cost.order} ({translated(NOTATION)})",
        f"{translated('On a road network')}: {cost.roads}",
        f"{translated('On a GPU')}: {cost.gpu}",
    )
    parts = [
        "\n".join(title),
        explanation.idea,
        code,
        "\n".join((translated("On the map"), *(f"• {text}" for text in explanation.look))),
        "\n".join((translated("Cost"), *costs)),
        *map(_figures_text, explanation.figures),
        "\n".join((translated("References"), *(f"• {source}" for source in explanation.sources))),
    ]
    return "\n\n".join(parts) + "\n"


def _figures_text(figures: Figures) -> str:
    """Return one table with tabs between its columns, as spreadsheets take it."""
    owner = translated("Ours: ") if figures.ours else ""
    rows = ["\t".join(row) for row in (figures.columns, *figures.rows) if row]
    return "\n".join(filter(None, (f"{owner}{figures.title}", figures.hardware, *rows, figures.note)))


def explained() -> tuple[str, ...]:
    """Return the names of all algorithms that have an explanation."""
    return tuple(sorted(path.stem for path in asset(FOLDER).glob("*.toml")))


def read_explanation(path: Path) -> Explanation:
    """Read one file, and translate its texts. Raises ``ExplanationError`` with the file, the line and the problem."""
    try:
        return _read(path)
    except FormatError as problem:
        raise ExplanationError(str(problem)) from None


def _read(path: Path) -> Explanation:
    table = read_table(decoded(read_at_most(path, LONGEST_FILE, "the file is too large"), path), path)
    cost = table.table("cost")
    explanation = Explanation(
        algorithm=path.stem,
        idea=_prose(table, "idea"),
        code=tuple(line for piece in table.tables("code") for line in _code_lines(piece)),
        look=_all_translated(table.texts("look")),
        cost=Cost(*(_prose(cost, key) for key in ("order", "roads", "gpu"))),
        figures=tuple(_figures(each) for each in table.tables("figures", [])),
        sources=table.texts("sources"),
    )
    cost.close()
    table.close()
    return explanation


def _code_lines(table: Table) -> tuple[CodeLine, ...]:
    phases, modes = table.texts("phases", []), table.texts("modes", [])
    if modes and not phases:
        raise table.error("modes without phases light nothing", "modes")
    texts = [line.rstrip() for line in table.take("lines", str).splitlines()]
    work, vain = table.number("work"), table.number("vain")
    for key, number in (("work", work), ("vain", vain)):
        if number > len(texts) or (number and not phases):
            raise table.error(f"{key} is the number of a line that a phase runs, not {number}", key)
    below = _below(texts, vain)
    lines = tuple(
        CodeLine(_translated_line(text), phases, modes, index == work, index == vain, index in below)
        for index, text in enumerate(texts, 1)
    )
    table.close()
    return lines


def _below(texts: list[str], test: int) -> range:
    """Return the numbers of the lines, from 1 on, that are indented below the line of a test; none for 0."""

    def indent(number: int) -> int:
        return len(texts[number - 1]) - len(texts[number - 1].lstrip())

    end = test + 1
    while test and end <= len(texts) and indent(end) > indent(test):
        end += 1
    return range(test + 1, end)


def _translated_line(line: str) -> str:
    """Translate a line of pseudo-code, which keeps its indentation."""
    code = line.lstrip()
    return line[: len(line) - len(code)] + (translated(code) if code else "")


def _figures(table: Table) -> Figures:
    columns, rows = table.texts("columns", []), table.take("rows", list, [])
    if not all(isinstance(row, list) and all(isinstance(field, str) for field in row) for row in rows):
        raise table.error("rows is a list of rows, each a list of texts", "rows")
    if any(len(row) != len(columns) for row in rows):
        raise table.error("every row has as many fields as there are columns", "rows")
    figures = Figures(
        title=_prose(table, "title"),
        hardware=_prose(table, "hardware"),
        columns=_all_translated(columns),
        rows=tuple(map(_all_translated, rows)),
        note=_prose(table, "note", ""),
        ours=table.flag("ours"),
    )
    table.close()
    return figures


def _prose(table: Table, key: str, default: str | None = None) -> str:
    """Take a text of any length, as one line, and translate it."""
    return translated(" ".join(table.take(key, str, default).split()))


def _all_translated(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(translated, texts))
