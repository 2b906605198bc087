"""The content of a timing chart before it is drawn: bars, texts and the time axis. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wayfront.safe.text import printable
from wayfront_gui.session import formatting
from wayfront_gui.ui.translation import plural, translated, translated_message

Row = Mapping[str, Any]

MOST_NAMED = 3
"""Networks that a title names; more of them are counted, and each is named beside its bars."""
NOISY = "≈ "
"""Before a time whose runs do not agree."""
LOGARITHMIC_FROM = 20.0
"""Ratio of the slowest median to the fastest from which the axis is logarithmic: shorter bars are not readable."""

_SHORTEST = 1e-300
"""What stands on a logarithmic axis for 0, which has no place there."""
_VERSIONS = {"wayfront": "wayfront", "python": "Python", "numpy": "NumPy", "numba": "numba", "numba-cuda": "numba-cuda"}


@dataclass(frozen=True, slots=True)
class Bar:
    """One timed search: median with the fastest and slowest run, milliseconds.

    ``against`` says what it is beside a baseline, where there is one; ``noisy``, that its runs do not agree.
    """

    label: str
    detail: str
    device: str
    median: float
    low: float
    high: float
    against: str = ""
    noisy: bool = False

    @property
    def median_text(self) -> str:
        """The median with three digits, marked where the runs do not agree."""
        return f"{NOISY if self.noisy else ''}{three_digits(self.median)}"

    @property
    def below(self) -> str:
        """What stands below its name in a chart."""
        return " · ".join(filter(None, (self.detail, self.against)))


@dataclass(frozen=True, slots=True)
class Axis:
    """A time axis from ``low`` to ``high`` milliseconds; ``low`` is 0 on a linear one."""

    low: float
    high: float
    logarithmic: bool

    def fraction(self, ms: float) -> float:
        """Return the position of a time on the axis, from 0 at ``low`` to 1 at ``high``."""
        return min(max(self.place(ms), 0.0), 1.0)

    def place(self, ms: float) -> float:
        """Return the position of a time on the axis or beyond its ends, so that a line keeps its slope there."""
        if self.logarithmic:
            return math.log(max(ms, _SHORTEST) / self.low) / math.log(self.high / self.low)
        return ms / self.high

    def ticks(self) -> list[float]:
        """Return the round times to mark."""
        if not self.logarithmic:
            step = _round_step(self.high / 5)
            return [k * step for k in range(int(self.high / step + 1e-9) + 1)]
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        factors = (1,) if last - first > 3 else (1, 2, 5)
        marks = [factor * 10.0**decade for decade in range(first, last + 1) for factor in factors]
        return [mark for mark in marks if self.low * 0.999 <= mark <= self.high * 1.001]


@dataclass(frozen=True, slots=True)
class ChartTexts:
    """The texts around the bars."""

    title: str
    subtitle: str
    caption: tuple[str, str]


def timed(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that have clean runs; the others have no time to show."""
    return [row for row in rows if row["time_ms"]["median"] is not None]


def bars(rows: Sequence[Row]) -> list[Bar]:
    """Return a bar for each timed row. What all rows have in common is in the title instead.

    Rows that differ in nothing, because one search was timed again, are counted.
    """
    rows = timed(rows)
    facts = [_facts(row) for row in rows]
    varying = [name for name in facts[0] if len({f[name] for f in facts}) > 1] if facts else []
    found = [
        Bar(
            label=row["algorithm"],
            detail=" · ".join(
                [
                    row["device_name"],
                    *(f[name] for name in varying if f[name]),
                    *_own_options(row, rows),
                    *settled(row),
                    *_prepared(row),
                ]
            ),
            device=row["device"],
            median=float(row["time_ms"]["median"]),
            low=float(row["time_ms"]["min"]),
            high=float(row["time_ms"]["max"]),
            against=_against(row),
            noisy=bool(row["time_ms"].get("noisy", False)),
        )
        for row, f in zip(rows, facts, strict=True)
    ]
    return _counted(found)


def _counted(bars: list[Bar]) -> list[Bar]:
    """Return bars of which those that would be called alike are counted."""
    alike: dict[tuple[str, str], list[int]] = {}
    for index, bar in enumerate(bars):
        alike.setdefault((bar.label, bar.detail), []).append(index)
    for (_, detail), indices in alike.items():
        for number, index in enumerate(indices if len(indices) > 1 else (), 1):
            again = translated("timing {number} of {count}", number=number, count=len(indices))
            bars[index] = replace(bars[index], detail=f"{detail} · {again}")
    return bars


def axis_for(shown: Sequence[Bar]) -> Axis:
    """Choose the axis: linear from 0, or logarithmic where medians differ too much to be read side by side."""
    high = max(bar.high for bar in shown)
    fastest = max(min(bar.low for bar in shown), 1e-6)
    medians = [max(bar.median, 1e-6) for bar in shown]
    if max(medians) / min(medians) < LOGARITHMIC_FROM:
        return Axis(0.0, max(high, 1e-6) * 1.02, logarithmic=False)
    # Half a decade of room, so that the fastest bar too has a length.
    return Axis(_round_below(fastest / 3), high * 1.1, logarithmic=True)


def chart_texts(rows: Sequence[Row], *, whiskers: bool = True) -> ChartTexts:
    """Return title, subtitle and caption: what was timed, where, and how to read the bars and their ``whiskers``."""
    rows = timed(rows)
    networks = _distinct(row["network"]["name"] for row in rows)
    sources = _distinct(searched_from(row) for row in rows)
    named = translated(" and ").join(networks)
    if len(networks) > MOST_NAMED:
        named = translated("{count} networks", count=len(networks))
    if len(sources) == 1 and len(networks) == 1:
        title = translated("Shortest paths on {network} {source}", network=named, source=sources[0])
    else:
        title = translated("Shortest paths on {network}", network=named)
    counts = _distinct(str(row["time_ms"]["runs"]) for row in rows)
    runs, count = translated(" or ").join(counts), 1 if counts == ["1"] else 2
    how = plural("{runs} clean run", "median of {runs} clean runs", count, runs=runs)
    if whiskers:
        how = plural(
            "median of {runs} clean run, whiskers from fastest to slowest",
            "median of {runs} clean runs, whiskers from fastest to slowest",
            count,
            runs=runs,
        )
    facts = [how, *([translated("≈: the runs differ")] if any(bar.noisy for bar in bars(rows)) else [])]
    if len(networks) == 1:
        network = rows[0]["network"]
        metrics = _distinct(row["network"]["metric"] for row in rows)
        size = (
            translated("{nodes:,} nodes", nodes=network["nodes"]),
            translated("{arcs:,} arcs", arcs=network["arcs"]),
        )
        facts = [*size, translated(" and ").join(map(translated_message, metrics)), *facts]
        facts += [network["credit"]] if network.get("credit") else []
    return ChartTexts(title, " · ".join(facts), machine_lines([row["machine"] for row in rows]))


def searched_from(row: Row) -> str:
    """Return where a search started: ``from node 7``, or ``from 1,000 nodes`` for all pairs; or where it led to."""
    reverse = row.get("reverse", False)
    if "target" in row:
        source, target = (row["target"], row["source"]) if reverse else (row["source"], row["target"])
        return translated("from node {source} to node {target}", source=source, target=target)
    if "source_count" not in row and reverse:
        return translated("to node {node}", node=row["source"])
    if "source_count" not in row:
        return translated("from node {node}", node=row["source"])
    count = row["source_count"]
    if count == row["network"]["nodes"]:
        return translated("from every node")
    return plural("from {count:,} node", "from {count:,} nodes", count)


def three_digits(ms: float) -> str:
    """Write a time with three significant digits, for instance ``0.412``, ``6.53``, ``187`` or ``12,345``."""
    if ms >= 100:
        return f"{ms:,.0f}"
    digits = 2 - math.floor(math.log10(ms)) if ms > 0 else 2
    return f"{ms:.{min(digits, 6)}f}"


def _facts(row: Row) -> dict[str, str]:
    return {
        "network": row["network"]["name"],
        "metric": row["network"]["metric"],
        "source": searched_from(row),
        "closed": translated("{closed:,} closed", closed=closed) if (closed := row.get("closed_arcs", 0)) else "",
    }


def _own_options(row: Row, rows: Sequence[Row]) -> list[str]:
    """Return the options in which this row differs from others of its algorithm."""
    rivals = [other["options"] for other in rows if other["algorithm"] == row["algorithm"]]
    own = row["options"]
    apart = {name: own[name] for name in own if any(other.get(name) != own[name] for other in rivals)}
    return formatting.option_texts(apart)


def settled(row: Row) -> list[str]:
    """Return how many nodes a search to a target settled: what it cost, whatever computer it ran on."""
    return [translated("{settled:,} settled", settled=row["settled"])] if "settled" in row else []


def _prepared(row: Row) -> list[str]:
    """Return what a row's time leaves out, if anything: nobody shall think that preparing costs nothing."""
    parts = ", ".join(
        f"{translated_message(name)} {three_digits(ms)} ms" for name, ms in row.get("prepare_ms", {}).items()
    )
    return [translated("beforehand {parts}", parts=parts)] if parts else []


def _against(row: Row) -> str:
    """Return how many times as long as in its baseline a row took, if it has one."""
    if "before" not in row:
        return ""
    low, high = row["ratio_between"]
    text = "{ratio:.2f} × the time before ({low:.2f} – {high:.2f})"
    return translated(text, ratio=row["ratio"], low=low, high=high)


def machine_lines(machines: Sequence[Mapping[str, str]]) -> tuple[str, str]:
    """Return two lines: the hardware measured on, and the versions with the date."""

    def joined(key: str) -> str:
        return " / ".join(_distinct(str(machine[key]) for machine in machines if machine.get(key)))

    processor, used, cores = joined("processor"), joined("threads"), joined("cores")
    if cores:
        text = "{processor}, {used} of {cores} cores" if used else "{processor}, {cores} cores"
        processor = translated(text, processor=processor, used=used, cores=cores)
    card = joined("card") + "".join(f", {key} {joined(key)}" for key in ("driver", "driver CUDA") if joined(key))
    versions = [f"{title} {joined(key)}" for key, title in _VERSIONS.items() if joined(key)]
    first = " · ".join(part for part in (processor, card, joined("system")) if part)
    return first, " · ".join(part for part in (*versions, joined("date")) if part)


def _distinct(values: Any) -> list[str]:
    return list(dict.fromkeys(values))


def _round_step(at_least: float) -> float:
    power = 10.0 ** math.floor(math.log10(at_least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= at_least * (1 - 1e-9))


def _round_below(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (5, 2, 1) if factor * power <= value * (1 + 1e-9))


NAMES = ("algorithm", "on")
FIGURES = ("median ms", "min", "max", "× fastest")
BEFORE = ("before ms", "ratio", "between")
"""What a baseline adds: its median, ours as a multiple of that, and the least and the most that runs can make of it."""


@dataclass(frozen=True, slots=True)
class TimingTable:
    """Names of columns, of which those after the first two are figures, and the cells of every row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def figures(self) -> tuple[str, ...]:
        """The columns of figures, aligned to the right."""
        return self.columns[len(NAMES) :]


def timing_table(rows: Sequence[Row]) -> TimingTable:
    """Return the table of the rows that have a time, with a baseline's columns where any of them has one."""
    rows = timed(rows)
    shown = bars(rows)
    fastest = min((bar.median for bar in shown), default=0.0)
    compared = any("before" in row for row in rows)
    cells = [
        (bar.label, bar.detail, *_figures(bar, fastest), *(_before(row) if compared else ()))
        for row, bar in zip(rows, shown, strict=True)
    ]
    return TimingTable((*NAMES, *FIGURES, *(BEFORE if compared else ())), tuple(cells))


def _figures(bar: Bar, fastest: float) -> tuple[str, ...]:
    return (
        bar.median_text,
        three_digits(bar.low),
        three_digits(bar.high),
        f"{bar.median / fastest:.1f}" if fastest else "",
    )


def _before(row: Row) -> tuple[str, ...]:
    if "before" not in row:
        return ("", "", "")
    low, high = row["ratio_between"]
    return three_digits(row["before"]["median"]), f"{row['ratio']:.2f}", f"{low:.2f} – {high:.2f}"


def timing_markdown(rows: Sequence[Row]) -> str:
    """Return the rows that have a time as a table with its title above it and the machine below."""
    table = timing_table(rows)
    if not table.rows:
        return "No timed searches yet.\n"
    texts = chart_texts(rows, whiskers=False)
    shown = markdown_table(table.columns, ((f"**{label}**", *more) for label, *more in table.rows), len(table.figures))
    return markdown_page((f"## {texts.title}", f"{texts.subtitle}.", shown, *texts.caption))


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]], figures: int = 0) -> str:
    """Return a table of Markdown, whose last columns are ``figures`` and aligned to the right."""
    rule = ["---"] * (len(columns) - figures) + ["---:"] * figures
    cells = ([text.replace("|", "/").replace("\n", " ") for text in row] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, rule, *cells))


def markdown_page(parts: Iterable[str]) -> str:
    """Return a page of Markdown of those parts that say something, in which no text of a stranger does anything."""
    return "\n\n".join("\n".join(map(printable, part.split("\n"))) for part in parts if part) + "\n"


_WIDE = 10.0
"""How far values reach, the last over the first, from which their axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class SweepLine:
    """One algorithm on a device: its bars by the value of the option, or one without a value where it has none."""

    label: str
    device_name: str
    points: tuple[tuple[float, Bar], ...]
    level: Bar | None = None


def sweep_lines(rows: Sequence[Row], option: str) -> list[SweepLine]:
    """Return a line for each algorithm and device, in the rows' order; values go up along each."""
    lines: dict[tuple[str, str], list[tuple[Row, Bar]]] = {}
    rows = timed(rows)
    for row, bar in zip(rows, bars(rows), strict=True):
        lines.setdefault((row["algorithm"], row["device_name"]), []).append((row, bar))
    return [_line(label, device, of_it, option) for (label, device), of_it in lines.items()]


def _line(label: str, device: str, rows: Sequence[tuple[Row, Bar]], option: str) -> SweepLine:
    values = [(row["options"].get(option), bar) for row, bar in rows]
    points = sorted(
        ((float(value), bar) for value, bar in values if isinstance(value, int | float)), key=lambda point: point[0]
    )
    return SweepLine(label, device, tuple(points)) if len(points) > 1 else SweepLine(label, device, (), rows[0][1])


def axes(lines: Sequence[SweepLine]) -> tuple[Axis, Axis]:
    """Return the axis of values and that of times."""
    values = [value for line in lines for value, _ in line.points]
    shown = [bar for line in lines for _, bar in line.points] + [line.level for line in lines if line.level is not None]
    low, high = min(values), max(values)
    wide = low > 0 and high / low >= _WIDE
    return Axis(low if wide else 0.0, high, logarithmic=wide), axis_for(shown)
