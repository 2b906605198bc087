"""``wayfront all-pairs``: distances from many nodes to all others, reduced to figures of each and of the network."""

from __future__ import annotations

import hashlib
import json as json_module
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import NetworkError, OptionError, SearchCancelled
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import arguments, searching
from wayfront_gui.cli.arguments import option
from wayfront_gui.cli.console import cancel_on_interrupt, facts_table, print_message, progress_bar
from wayfront_gui.cli.isochrones import in_metric, read_limit
from wayfront_gui.cli.outputs import USUAL_SUFFIX, Outputs, check_output
from wayfront_gui.cli.searching import ClosingArguments, SearchArguments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.pairs import PairsResult
    from wayfront.searching.run import Progress

ALL = "all"
CSV, RECORD, GEOPACKAGE = FILES = ".csv", ".json", ".gpkg"
ANNOUNCED_FROM_S = 30.0
"""A search forecast to take longer than this is announced."""
ANNOUNCED_FROM_BYTES = 10**9
"""What is forecast to take more memory, on disk or on the device, is announced."""


def all_pairs(
    context: typer.Context,
    network: str = arguments.NETWORK,
    *,
    search: SearchArguments,
    closing: ClosingArguments,
    sources: str = option(
        ALL,
        "Nodes to search from: all, a number of them spread over the network, or ids with commas ('7,' is the node 7).",
        metavar="all|N|ID,ID…",
    ),
    source: list[str] | None = arguments.SOURCES,
    matrix: str | None = option(None, "Keep all distances, as FILE.npy or FILE.zarr; −1 is no path.", metavar="FILE"),
    output: list[str] | None = arguments.output_option("Write the figures of every source, as .csv, .json or .gpkg"),
    form: str | None = arguments.format_option(FILES, USUAL_SUFFIX),
    crs: str | None = arguments.CRS,
    verify: bool = option(
        False,
        "Prove every row right, and compare some with a reference Dijkstra; figures that were finished before are "
        "marked as not proved, unless their rows are in the matrix.",
    ),
    checkpoint: str | None = option(
        None,
        "Where finished sources are noted, so that the same command goes on after Ctrl-C or a crash; default: beside "
        "the matrix, else in the cache.",
        metavar="FILE",
    ),
    scheduler: str | None = option(
        None,
        "Spread the nodes over the workers of a Dask scheduler; local starts one for each card or group of --threads "
        "cores.",
        metavar="local|ADDRESS",
    ),
    inward: bool = option(
        False,
        "Search the network with its arcs turned round as well, for the closeness inward (of the distances to each "
        "node, as networkx has it on a directed graph) in the figures that -o writes.",
    ),
    bins: str | None = option(
        None,
        "Count all pairs by distance too: so many bins up to the largest distance, or up to each of these, such as "
        "1km,5km,20km. Every distance is looked at, which takes longer than all else.",
        metavar="N|DISTANCE,…",
    ),
    bins_by_source: bool = option(False, "Write the bins of each source with the figures."),
    runs: int | None = arguments.RUNS,
    opening: OpeningOptions,
    json: bool = arguments.JSON,
) -> None:
    """Search from all nodes to all others.

    Prints diameter, centre, sum of distances and the time. Nothing needs memory for all pairs unless --matrix keeps
    them. After Ctrl-C the same command goes on with the nodes that are left.
    """
    search.options()
    closing.roads()
    if source:
        arguments.refuse_given(context, ("sources",), "each --source names a node to search from")
    files = Outputs.checked(output, FILES, form, json=json)
    files.check_system(crs)
    if inward and not output:
        raise OptionError("--inward is a column of the figures that are written: name a file with -o")
    wanted_bins = None if bins is None else _read_bins(bins)
    if bins_by_source and (bins is None or not output):
        raise OptionError(
            "--bins-by-source are columns of the figures that are written: give --bins, and a file with -o"
        )
    if matrix is not None:
        check_output(matrix, (".npy", ".zarr"))
    if checkpoint is not None:
        check_output(checkpoint)
    device = search.device  # workers choose for themselves: they may have cards, or more of them
    if scheduler in (None, "local"):
        from wayfront.results.result import SearchKind

        here = search.checked_device(SearchKind.ALL_PAIRS)
        device = here if scheduler is None else device
    how: dict[str, Any] = {
        "algorithm": search.algorithm,
        "device": device,
        "metric": search.metric,
        "options": search.options(),
        "threads": search.threads,
        "scheduler": scheduler,
    }
    with cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        if opened.coordinates is None and files.any_of([GEOPACKAGE]):
            raise NetworkError(f"{opened.name} has no coordinates, so there is no {GEOPACKAGE}: write {CSV}")
        how |= {"closures": closing.arcs(opened), "reverse": closing.reverse}
        counting: dict[str, Any] = {"bins": wanted_bins, "bins_by_source": bins_by_source}
        if isinstance(wanted_bins, list):
            how["metric"], ends = in_metric(opened, wanted_bins, search.metric, "--bins")
            counting["bins"] = [0.0, *ends]
        chosen = choose_sources(opened, sources, source)
        _announce_matrix(opened, chosen, matrix)
        noted = checkpoint or _default_checkpoint(opened, how["closures"], how["metric"], matrix, closing.reverse)
        kept: dict[str, Any] = {"sources": chosen, "keep": matrix or "summary", "runs": runs, "trace": True, **counting}
        result = _run(opened, noted, cancel=cancel, verify=verify, **kept, **how)
    nearness = _inward(result, how, wanted=inward) if output else None
    for line in _remarks(result):
        print_message(line)
    files.print(json, result.summary, lambda: _tables(result))
    files.write(lambda path: _write_figures(result, path, nearness, crs))


def choose_sources(network: RoadNetwork, text: str, named: Sequence[str] | None = None) -> NDArray[np.int32] | None:
    """Return internal numbers of the sources that a text names, None for all nodes; ``named`` ones instead, if any.

    A number alone is how many: spread evenly over the nodes in the order in which they lie on the map. Raises
    ``OptionError`` for what is none of the three forms, and ``NetworkError`` for an id that no node has.
    """
    import numpy as np

    n = network.node_count
    if named:
        return np.array(searching.find_nodes(network, named), np.int32)
    if text.strip() == ALL:
        return None
    try:
        numbers = [int(word) for word in arguments.parse_list(text)]
    except ValueError:
        raise OptionError(f"--sources is 'all', a number of nodes, or ids with commas, not {text!r}") from None
    if "," in text:
        return np.array([network.node(number) for number in numbers], np.int32)
    if not 1 <= numbers[0] <= n:
        raise OptionError(
            f"--sources {text}: {network.name} has {n:,} nodes; name 1 to {n:,}, or ids with commas ('{text},')"
        )
    return (np.arange(numbers[0], dtype=np.int64) * n // numbers[0]).astype(np.int32)


def _read_bins(text: str) -> int | list[tuple[float, str]]:
    """Return how many bins a text asks for, or where they end with the units. Raises ``OptionError``."""
    words = arguments.parse_list(text)
    if len(words) == 1 and words[0].isdecimal():
        return int(words[0])
    return [read_limit(word, "--bins") for word in words]


def _tables(result: PairsResult) -> list[Any]:
    """Return what is printed: the figures of the network, and the pairs by distance where these were counted."""
    from wayfront_gui.cli import facts

    tables = [facts_table(facts.pairs_title(result), facts.pairs_facts(result))]
    if result.histogram is not None:
        tables.append(facts_table("Pairs by distance", facts.bins_facts(result.metric, result.histogram)))
    return tables


def _announce_matrix(network: RoadNetwork, sources: NDArray[np.int32] | None, matrix: str | None) -> None:
    """Say how large a matrix will be, if it is large."""
    from wayfront.results.matrix_files import matrix_bytes

    n = network.node_count
    taken = matrix_bytes((n if sources is None else len(sources), n))
    if matrix is not None and taken > ANNOUNCED_FROM_BYTES:
        print_message(f"the matrix takes {taken / 1e9:,.1f} GB")


def _default_checkpoint(
    network: RoadNetwork, closures: NDArray[np.int64], metric: str | None, matrix: str | None, reverse: bool
) -> Path:
    """Return where finished sources are noted if nobody says it: beside the matrix, else in the private cache."""
    from wayfront.network.arcs import facing, without_arcs
    from wayfront.safe.folders import cache_folder, make_private
    from wayfront.searching.all_pairs.checkpoint import SUFFIX

    if matrix is not None:
        return Path(f"{matrix}{SUFFIX}")
    key = hashlib.blake2b(network.metric(metric).name.encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
    searched = without_arcs(*facing(network, closures, reverse=reverse))
    return make_private(cache_folder() / "all-pairs") / f"{searched.content_key}-{key}{SUFFIX}"


def _run(network: RoadNetwork, checkpoint: str | Path, **asked: Any) -> PairsResult:
    """Run ``wayfront.all_pairs`` showing progress; say how to go on where it is cancelled."""
    import wayfront

    with progress_bar() as show:
        reporter = _Reporter(show)
        try:
            return wayfront.all_pairs(network, progress=reporter, checkpoint=checkpoint, **asked)
        except SearchCancelled:
            if Path(checkpoint).exists():
                print_message(
                    f"{reporter.finished} are finished and noted in {checkpoint}: the same command goes on from there"
                )
            raise


class _Reporter:
    """Shows how far a search is, and announces how long it will take and how much memory, if that is much."""

    def __init__(self, show: Any) -> None:
        self._show = show
        self._announced = 0.0
        self._announced_bytes = False
        self.finished = "no sources"

    def __call__(self, progress: Progress) -> None:
        """Show a report."""
        from wayfront_gui.session.formatting import about

        done, wanted, ahead = progress.sources_done or 0, progress.sources_wanted or 0, progress.seconds_ahead
        self.finished = f"{done:,} of {wanted:,} sources"
        fraction = done / wanted if wanted else -1.0
        if progress.steps_ahead:
            fraction = progress.step / progress.steps_ahead
        if progress.stage == "preparing":
            self._show(progress.doing, progress.fraction)
            return
        if progress.stage == "timing":
            self._show("timing it again", -1.0)
            return
        left = f", about {about(ahead * (1 - fraction))} left" if ahead and fraction >= 0 else ""
        self._show(f"{self.finished}{left}", fraction)
        taken = progress.bytes_ahead or 0
        if taken > ANNOUNCED_FROM_BYTES and not self._announced_bytes:
            self._announced_bytes = True
            print_message(f"it takes {taken / 1e9:,.1f} GB of the device's memory")
        # The first forecast is a guess by one search; the first batch may say otherwise.
        if ahead and ahead > ANNOUNCED_FROM_S and not self._announced / 2 < ahead < 2 * self._announced:
            self._announced = ahead
            print_message(f"it will take about {about(ahead)}; Ctrl-C stops it and keeps what is finished")


def _remarks(result: PairsResult) -> list[str]:
    """Return what is said beside the result."""
    lines = [result.note] if result.note else []
    if result.found_before:
        lines.append(f"{result.found_before:,} sources were finished before: the time is that of the others")
    if result.matrix_path:
        lines.append(f"matrix written to {result.matrix_path}")
    return lines


def _inward(result: PairsResult, how: dict[str, Any], *, wanted: bool) -> NDArray[np.float64] | None:
    """Return the closeness inward where it is known, or found by another search where that is wanted; else None.

    Where that search is stopped there is none either: what was found before it is not lost.
    """
    import wayfront

    try:
        return result.closeness()
    except NetworkError:
        if not wanted:
            return None
    print_message("searching with all arcs turned round, for the closeness inward")
    how = {**how, "sources": result.sources, "closures": result.closures}
    del how["reverse"]
    try:
        with cancel_on_interrupt() as cancel, progress_bar() as show:
            return wayfront.closeness(result.network, cancel=cancel, progress=_Reporter(show), **how)
    except SearchCancelled:
        print_message("stopped: the figures are written without the closeness inward")
        return None


def _write_figures(result: PairsResult, path: str, inward: NDArray[np.float64] | None, crs: str | None) -> None:
    """Write the figures of every source, whole or not at all. Raises ``WriteError``."""
    from wayfront.network.geopackage import Points, write_geopackage
    from wayfront.safe.files import write_text_whole
    from wayfront_gui.features.timing.export import write_rows

    columns = _figures(result, inward)
    if Path(path).suffix == GEOPACKAGE:
        places = result.network.coordinates
        assert places is not None
        write_geopackage(path, [Points("sources", places[result.sources] / 1e6, columns, result.network.credit)], crs)
        return
    nodes = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if Path(path).suffix == CSV:
        write_rows(list(columns), nodes, path, line_end="\n")
        return
    record = {"schema_version": JSON_SCHEMA_VERSION, **result.summary(), "nodes": nodes}
    write_text_whole(path, json_module.dumps(record, allow_nan=False) + "\n")


def _figures(result: PairsResult, inward: NDArray[np.float64] | None) -> dict[str, list[Any]]:
    """Return columns by name, with a value for every source; None for what does not exist.

    Distances are raw weights, closeness is per unit. Where nodes have names there are those of the source and of its
    farthest node.
    """
    from wayfront.network.copies import node_count_of

    network, figures, sources = result.network, result.figures, result.sources.tolist()
    none: list[Any] = [None] * len(sources)
    per = f"_per_{result.metric.unit}" if result.metric.unit else ""
    columns = {
        "node": network.node_ids[sources].tolist(),
        "eccentricity": figures.eccentricity.tolist(),
        "farthest": network.node_ids[figures.farthest].tolist(),
        "sum": figures.total.tolist(),
        "mean": _numbers(result.mean),
        f"closeness_inward{per}": none if inward is None else _numbers(inward),
        f"closeness_outward{per}": _outward(result) or none,
        "reached": figures.reached.tolist(),
        "unreached": (node_count_of(result.searched[0]) - figures.reached).tolist(),
        "proved": none if result.proved_rows is None else result.proved_rows.tolist(),
    }
    if result.histogram is not None and result.histogram.by_source is not None:
        edges = result.histogram.edges.tolist()
        for end, counts in zip(edges[1:], result.histogram.by_source.T, strict=True):
            columns[f"up_to_{end:.12g}"] = counts.tolist()
    if network.node_names is not None:
        names = network.node_names.names
        columns["name"] = [names[node] for node in sources]
        columns["farthest_name"] = [names[node] for node in figures.farthest.tolist()]
    return columns


def _outward(result: PairsResult) -> list[float | None] | None:
    """Return the closeness outward, None of distances to the sources that do not say it."""
    try:
        return _numbers(result.closeness("outward"))
    except NetworkError:
        return None


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]
