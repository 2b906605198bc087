"""Write pictures, the timing chart and tables of timings to files.

Rows of timings are ``Result.summary()`` dictionaries, so the window's timing panel, ``wayfront compare`` and a
saved file show the same figures. Drawing here needs a QGuiApplication, never a window.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfront.network.copies import node_count_of
from wayfront.network.geopackage import GEOPACKAGE, Points, write_geopackage
from wayfront.safe.errors import WriteError
from wayfront.safe.files import write_text_whole, write_whole
from wayfront.safe.text import spreadsheet_cell
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from PySide6.QtGui import QImage, QPainter

    from wayfront_gui.session.pairs import Pairs

CHART_FILES = {
    marked("PNG picture (*.png)"): ".png",
    marked("SVG drawing (*.svg)"): ".svg",
    marked("PDF drawing (*.pdf)"): ".pdf",
    marked("CSV table (*.csv)"): ".csv",
    marked("JSON (*.json)"): ".json",
    marked("Markdown table (*.md)"): ".md",
}
"""The kinds of files that charts are saved as, with their suffixes: a picture, drawings and tables."""

Row = Mapping[str, Any]


def ask_where(ask: Callable[[str, str, str], tuple[str, str]], title: str, name: str) -> Path | None:
    """Ask where to save figures, and as which kind of file; None for nowhere."""
    from wayfront_gui.app.file_dialogs import with_suffix

    kinds = {translated(text): suffix for text, suffix in CHART_FILES.items()}
    path, kind = ask(title, name, ";;".join(kinds))
    return with_suffix(path, kinds.get(kind, ".png")) if path else None


WIDTH = 1280
"""Width of a page of figures in device-independent pixels."""

CSV_COLUMNS = (
    "network", "nodes", "arcs", "metric", "unit", "source", "target", "source_count", "algorithm", "options", "device",
    "device_name", "median_ms", "min_ms", "max_ms", "runs", "before_ms", "ratio", "transfer_ms", "tree_ms", "traced_ms",
    "cut_ms", "set_up_ms", "customise_ms", "bound_ms", "landmarks_ms", "from_scratch_ms", "closed_arcs", "reverse",
    "steps", "relaxations", "distance", "settled", "reached", "sum_distance", "max_distance", "farthest",
    "pairs_reached", "diameter", "trees_per_s", "verified", "machine", "credit",
)  # fmt: skip
"""Times are in milliseconds; options and machine are ``key=value`` joined by ``"; "``."""

PAIRS_COLUMNS = ("node", "eccentricity", "farthest", "mean", "closeness_outward", "reached", "proved")


def save_pairs(pairs: Pairs, path: str | Path) -> None:
    """Write a row per finished source of a search for all pairs, with the columns of ``PAIRS_COLUMNS``.

    With the suffix ``.gpkg`` they are points of a network that has coordinates, with any other lines of a CSV file.

    Nodes are the file's ids, and where they have names ``name`` and ``farthest_name`` follow; distances are raw
    weights. A source that reaches no other node has no mean. Closeness is of the distances from the source, per unit of
    the metric, which the column's name has behind it where there is one; ``proved`` is missing where no proof was asked
    for. Raises ``WriteError``.
    """
    figures, ids, metric, names = pairs.figures, pairs.network.node_ids, pairs.metric, pairs.network.node_names
    done = figures.done
    sources, farthest = pairs.sources[done], figures.farthest[done]
    closeness = figures.closeness(node_count_of(pairs.network), metric.scale)[done]
    proved = None if pairs.result is None else pairs.result.proved_rows
    per = f"_per_{metric.unit}" if metric.unit else ""
    titles = [f"{name}{per}" if name == "closeness_outward" else name for name in PAIRS_COLUMNS]
    columns: list[Sequence[Any]] = [
        ids[sources].tolist(),
        figures.eccentricity[done].tolist(),
        ids[farthest].tolist(),
        [value if math.isfinite(value) else None for value in figures.mean[done].tolist()],
        closeness.tolist(),
        figures.reached[done].tolist(),
        [None] * len(sources) if proved is None else proved[done].tolist(),
    ]
    if names is not None:
        titles += ["name", "farthest_name"]
        columns += [[names.names[node] for node in nodes.tolist()] for nodes in (sources, farthest)]
    if Path(path).suffix.lower() == GEOPACKAGE:
        places = pairs.network.coordinates
        assert places is not None
        found = dict(zip(titles, columns, strict=True))
        write_geopackage(path, [Points("sources", places[sources] / 1e6, found, pairs.network.credit)])
        return
    for name, digits in (("mean", 6), ("closeness_outward", 9)):
        values = columns[PAIRS_COLUMNS.index(name)]
        columns[PAIRS_COLUMNS.index(name)] = ["" if value is None else f"{value:.{digits}g}" for value in values]
    write_rows(titles, (dict(zip(titles, row, strict=True)) for row in zip(*columns, strict=True)), path)


def write_rows(columns: Sequence[str], rows: Iterable[Row], path: str | Path, line_end: str = "\r\n") -> None:
    """Write rows as a CSV file with these columns, in which no text is a formula. Raises ``WriteError``."""
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, columns, lineterminator=line_end)
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    write_text_whole(path, table.getvalue())


def cell(value: object) -> object:
    """Return a value for a CSV file: a text that no spreadsheet takes for a formula, anything else as it is."""
    return spreadsheet_cell(value) if isinstance(value, str) else value


def _flat(row: Row) -> dict[str, Any]:
    network, time = row["network"], row["time_ms"]
    flat = {name: row[name] for name in CSV_COLUMNS if name in row}
    flat |= {name: network[name] for name in ("nodes", "arcs", "metric", "unit")}
    flat |= {"network": network["name"], "credit": network.get("credit", "")}
    flat |= {f"{name}_ms": time[name] for name in ("median", "min", "max")} | {"runs": time["runs"]}
    flat |= {"before_ms": row["before"]["median"]} if "before" in row else {}
    prepared = {f"{name.replace(' ', '_')}_ms": ms for name, ms in row.get("prepare_ms", {}).items()}
    flat |= {name: ms for name, ms in prepared.items() if name in CSV_COLUMNS}
    if isinstance(row.get("diameter"), Mapping):  # of all pairs
        flat["diameter"] = row["diameter"]["distance"]
    for name in ("options", "machine"):
        flat[name] = "; ".join(f"{key}={value}" for key, value in row[name].items())
    return flat


@dataclass(frozen=True, slots=True)
class Page:
    """What is painted of figures: its height in device-independent pixels, and what paints it into a width."""

    height: float
    paint: Callable[[QPainter, str, float], None]

    def picture(self, theme: str, width: int = WIDTH, scale: float = 1.0) -> QImage:
        """Return the page as a picture; ``scale`` multiplies its pixels for print."""
        from PySide6.QtGui import QImage, QPainter

        image = QImage(round(width * scale), round(self.height * scale), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        painter = QPainter(image)
        try:
            self.paint(painter, theme, width)
        finally:
            painter.end()
        return image

    def write(self, path: str | Path, title: str, theme: str, scale: float) -> None:
        """Write the page at its usual width: ``.svg`` and ``.pdf`` as drawings, anything else as a picture.

        Raises ``WriteError``.
        """
        # Tables are written on servers too, where there is no Qt.
        from wayfront_gui.features.timing.plots import write_drawing

        if Path(path).suffix.lower() in (".svg", ".pdf"):
            write_drawing(path, WIDTH, self.height, title, lambda painter: self.paint(painter, theme, WIDTH))
        else:
            save_picture(self.picture(theme, scale=scale), path)


@dataclass(frozen=True, slots=True)
class Figures:
    """What can be saved of figures, of which a file needs one: rows with their columns, JSON, Markdown, or a page."""

    title: str
    columns: Sequence[str]
    rows: Callable[[], Iterable[Row]]
    record: Callable[[], Row]
    markdown: Callable[[], str]
    page: Callable[[], Page]

    def write(self, path: str | Path, theme: str = "dark", scale: float = 2.0) -> None:
        """Write a table (``.csv``, ``.json``, ``.md``), a drawing (``.svg``, ``.pdf``) or else a picture.

        Raises ``WriteError``.
        """
        suffix = Path(path).suffix.lower()
        if suffix == ".csv":
            write_rows(self.columns, self.rows(), path)
        elif suffix == ".json":
            write_text_whole(path, json.dumps(self.record(), indent=2, ensure_ascii=False))
        elif suffix == ".md":
            write_text_whole(path, self.markdown())
        else:
            self.page().write(path, self.title, theme, scale)


def timing_page(rows: Sequence[Row], swept: str = "", *, as_table: bool = False) -> Page:
    """Return what is painted: bars, times over the option that was ``swept``, or a table.

    Bars are horizontal, with whiskers from the least to the largest run, in the rows' order. Rows without clean runs
    have no time and are left out.
    """
    from wayfront_gui.features.timing import timing_chart as chart

    if as_table:
        return Page(chart.table_height(rows), partial(chart.paint_timing_table, rows))
    if swept:
        return Page(chart.OPTION_HEIGHT, partial(chart.paint_option_chart, rows, swept))
    return Page(chart.chart_height(rows), partial(chart.paint_timing_chart, rows))


def write_timings(
    rows: Sequence[Row],
    path: str | Path,
    theme: str = "dark",
    scale: float = 2.0,
    swept: str = "",
    *,
    as_table: bool = False,
) -> None:
    """Write rows as ``Figures`` are written; what is painted is ``timing_page``. Raises ``WriteError``."""
    from wayfront_gui.features.timing.baseline import timings_record
    from wayfront_gui.features.timing.tables import timing_markdown

    Figures(
        "wayfront: times of searches",
        CSV_COLUMNS,
        lambda: map(_flat, rows),
        lambda: timings_record(rows),
        lambda: timing_markdown(rows),
        lambda: timing_page(rows, swept, as_table=as_table),
    ).write(path, theme, scale)


def save_picture(picture: QImage, path: str | Path) -> None:
    """Write a picture in the format of the path's suffix (PNG without one). Raises ``WriteError``."""
    try:
        written = picture_bytes(picture, Path(path).suffix.lower().removeprefix(".") or "png")
    except ValueError as problem:
        raise WriteError(path, str(problem)) from None
    with write_whole(path) as file:
        file.write(written)


def picture_bytes(picture: QImage, kind: str) -> bytes:
    """Return a picture as the bytes of a file of this kind, such as ``png``. Raises ``ValueError``."""
    from PySide6.QtCore import QBuffer, QIODevice
    from PySide6.QtGui import QImageWriter

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, kind.encode())
    if not writer.write(picture):
        raise ValueError(writer.errorString())
    return bytes(buffer.data().data())
