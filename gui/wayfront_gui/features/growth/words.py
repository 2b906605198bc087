"""What is said of how searches grow: laws, exponents with their spread, titles, tables. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wayfront.benchmarks.growth_record import LAWS, Fit, Growth, LeftOut, Measure
from wayfront_gui.features.timing.tables import machine_lines, markdown_page, markdown_table
from wayfront_gui.session.formatting import option_texts, short_device_name
from wayfront_gui.ui.translation import marked, plural, translated, translated_message

KIND_LABELS = {
    "grid": marked("Grid"),
    "random": marked("Random"),
    "ring": marked("Ring"),
    "rmat": marked("R-MAT"),
    "regular": marked("Regular"),
    "sprand": marked("SPRAND"),
}
"""The kinds of networks that the window lists; the command line takes every generator."""
MEASURE_LABELS = {
    Measure.STEPS: marked("Steps"),
    Measure.RELAXATIONS: marked("Relaxations"),
    Measure.TIME: marked("Time in ms"),
}
FLOWS = "flows"
"""The subject whose times alone are measured, of programs in place of algorithms."""
CONSTANT = marked("constant")
MOST_LAWS = 3
"""Laws that are listed by name where all of them fit."""
HOW_TO_READ = marked(
    "p is the exponent of n^p with its 95 % interval. A law is named if figures divided by it show no trend; "
    "several are not told apart."
)


def title(growth: Growth) -> str:
    """Return the title of a chart."""
    kind, _, parameters = growth.request.kind.partition("?")
    shown = translated(KIND_LABELS[kind]) if kind in KIND_LABELS else kind
    named = ", ".join(part for part in (shown, *parameters.split("&")) if part)
    if growth.request.subject == FLOWS:
        return translated("How flows between all nodes grow with the network: {kind}", kind=named)
    return translated("How searches grow with the network: {kind}", kind=named)


def about_networks(growth: Growth) -> list[str]:
    """Return what stands beside the plots: what the networks are like, and from where they are searched."""
    from wayfront.synthetic.generators import names  # which brings the city's compiled loops

    kind = growth.request.kind.partition("?")[0]
    about = next((generator.summary for generator in names() if generator.name == kind), "")
    if growth.request.subject == FLOWS:
        return [
            translated_message(about),
            translated("Where a program takes some sources alone, its time is scaled up."),
        ]
    return [translated_message(about), translated("Searched from the node that most arcs leave.")]


def subtitle(growth: Growth) -> str:
    """Return in one line what was measured, and on what."""
    asked = growth.request
    sizes = translated("{smallest:,} to {largest:,} nodes", smallest=asked.sizes[0], largest=asked.sizes[-1])
    if growth.request.subject == FLOWS:
        return f"{sizes} · {short_device_name(growth.device_name)}"
    networks = plural("{count} network of each size", "{count} networks of each size", asked.networks)
    runs = plural(
        "medians, of time with {count} clean run each", "medians, of time with {count} clean runs each", asked.runs
    )
    options = [f"{name}: {', '.join(option_texts(chosen))}" for name, chosen in asked.options.items()]
    return " · ".join(part for part in (sizes, networks, runs, *options, short_device_name(growth.device_name)) if part)


def caption(growth: Growth) -> tuple[str, str]:
    """Return the two lines at the foot of a chart: how to read it, and the machine."""
    machine = " · ".join(line for line in machine_lines([growth.machine]) if line) if growth.machine else ""
    return translated(HOW_TO_READ), machine


def law(fit: Fit | None) -> str:
    """Return how a figure grows: ``n log n``, ``n or n log n``, or ``n^0.83`` where no usual law fits."""
    if fit is None:
        return "—"
    if fit.bend is not None:
        low, high = fit.bend
        return translated("n^{low:.2f} … n^{high:.2f}", low=low, high=high)
    if not fit.laws:
        return f"n^{fit.exponent:.2f}"
    named = [translated(CONSTANT) if name == CONSTANT else name for name in fit.laws]
    if len(named) > MOST_LAWS:
        order = [name for name in LAWS if name in fit.laws]
        first, last = (translated(CONSTANT) if name == CONSTANT else name for name in (order[0], order[-1]))
        return translated("{slowest} to {fastest}", slowest=first, fastest=last)
    text = named[0]
    for other in named[1:]:
        text = translated("{one} or {other}", one=text, other=other)
    return text


def exponent(fit: Fit | None) -> str:
    """Return the fitted exponent with its spread."""
    if fit is None:
        return translated("too few sizes")
    if fit.bend is not None:
        return translated("bends: no single power")
    power = f"{fit.exponent:.2f}".replace("-", "−")
    return f"p = {power}" if fit.spread < 0.005 else f"p = {power} ± {fit.spread:.2f}"


def left_out(growth: Growth) -> list[str]:
    """Return a line for each algorithm that was not measured at all sizes."""
    return [_left_out(name, why) for name, why in growth.left_out.items()]


def _left_out(algorithm: str, why: LeftOut) -> str:
    if why.problem and not why.nodes:
        problem = translated_message(why.problem)
        return translated("{algorithm} is left out: {problem}", algorithm=algorithm, problem=problem)
    if why.problem:
        return translated(
            "{algorithm} is left out from {nodes:,} nodes on: {problem}",
            algorithm=algorithm,
            nodes=why.nodes,
            problem=translated_message(why.problem),
        )
    if why.ahead_s is None:
        return translated(
            "{algorithm} is left out from {nodes:,} nodes on: the time is over", algorithm=algorithm, nodes=why.nodes
        )
    return translated(
        "{algorithm} is left out from {nodes:,} nodes on: it would take {ahead:,.3g} s of {left:,.3g} s left for all",
        algorithm=algorithm,
        nodes=why.nodes,
        ahead=why.ahead_s,
        left=why.left_s,
    )


def figure(value: float) -> str:
    """Write a median: counts whole, others with three digits."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def growth_markdown(growth: Growth) -> str:
    """Return the laws and the figures as tables, with the title above and the machine below."""
    asked = growth.request
    fits = {name: [growth.fit(name, measure) for measure in asked.measures] for name in asked.algorithms}
    laws = ((f"**{name}**", *(f"{law(fit)}, {exponent(fit)}" for fit in its)) for name, its in fits.items())
    return markdown_page(
        (
            f"## {title(growth)}",
            f"{subtitle(growth)}.",
            markdown_table(("algorithm", *asked.measures), laws),
            markdown_table(("algorithm", *counted(growth)), rows(growth), len(counted(growth))),
            *left_out(growth),
            *caption(growth),
        )
    )


def counted(growth: Growth) -> tuple[str, ...]:
    """Return the names of the figures of ``rows``."""
    units = ("ms" if measure is Measure.TIME else measure.value for measure in growth.request.measures)
    return ("nodes", "arcs", *units)


def rows(growth: Growth) -> Iterator[Sequence[str]]:
    """Yield algorithm, nodes, arcs and the medians of every point."""
    for point in growth.points:
        medians = (figure(point.median(measure)) for measure in growth.request.measures)
        yield (point.algorithm, f"{point.nodes:,}", f"{point.arcs:,}", *medians)
