"""``wayfront all-pairs``: distances from many nodes to all others, reduced to figures of each and of the network."""

from __future__ import annotations

import csv
import hashlib
import io
import json as json_module
import math
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfront.errors import OptionError, SearchCancelled
from wayfront.formats.options import OpeningOptions
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    JsonOption,
    NetworkArgument,
    RunsOption,
    SearchArguments,
    SourcesOption,
    format_option,
    parse_list,
    refuse_given,
)
from wayfront_gui.cli.closing import ClosingArguments
from wayfront_gui.cli.console import (
    cancel_on_interrupt,
    facts_table,
    print_json,
    print_message,
    print_tables,
    progress_bar,
)
from wayfront_gui.cli.outputs import USUAL_SUFFIX, Outputs, output_option
from wayfront_gui.cli.paths import check_output

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.all_pairs.result import PairsResult
    from wayfront.search.procedure import Progress

ALL = "all"
CSV, JSON = ".csv", ".json"

ANNOUNCED_FROM_S = 30.0
"""A search forecast to take longer than this is announced."""
ANNOUNCED_FROM_BYTES = 10**9
"""What is forecast to take more memory, on disk or on the device, is announced."""


@expand_groups
def all_pairs(
    context: typer.Context,
    network: NetworkArgument,
    *,
    search: SearchArguments,
    closing: ClosingArguments,
    sources: Annotated[
        str,
        typer.Option(
            "--sources",
            metavar="all|N|ID,ID…",
            help="Nodes to search from: all, a number of them spread over the network, or ids with commas "
            "('7,' is the node 7).",
        ),
    ] = ALL,
    source: SourcesOption = None,
    matrix: Annotated[
        str | None,
        typer.Option("--matrix", metavar="FILE", help="Keep all distances, as FILE.npy or FILE.zarr; −1 is no path."),
    ] = None,
    output: Annotated[list[str] | None, output_option("Write the figures of every source, as .csv or .json")] = None,
    form: Annotated[str | None, format_option((CSV, JSON), USUAL_SUFFIX)] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Prove every row right, and compare some with a reference Dijkstra.")
    ] = False,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="FILE",
            help="Where finished sources are noted, so that the same command goes on after Ctrl-C or a crash; "
            "default: beside the matrix, else in the cache.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="local|ADDRESS",
            help="Spread the nodes over the workers of a Dask scheduler; local starts one for each card or group of "
            "--threads cores.",
        ),
    ] = None,
    runs: RunsOption = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Search from all nodes to all others.

    Prints diameter, centre, sum of distances and the time. Nothing needs memory for all pairs unless --matrix keeps
    them. After Ctrl-C the same command goes on with the nodes that are left.
    """
    options = search.options()
    closing.roads()
    if source:
        refuse_given(context, ("sources",), "each --source names a node to search from")
    files = Outputs.checked(output, (CSV, JSON), form, json=json)
    if matrix is not None:
        check_output(matrix, (".npy", ".zarr"))
    if checkpoint is not None:
        check_output(checkpoint)
    from wayfront.network.closing import without_arcs
    from wayfront.search.registry import SearchKind

    device = search.device  # workers choose for themselves: they may have cards, or more of them
    if scheduler in (None, "local"):
        here = engine_calls.choose_device(search.device)
        engine_calls.check_threads(search.threads, [here])
        engine_calls.check_algorithms([search.algorithm], [here], options, SearchKind.ALL_PAIRS)
        device = here if scheduler is None else device
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        chosen, closures = choose_sources(opened, sources, source), closing.arcs(opened)
        _announce_matrix(opened, chosen, matrix)
        noted = checkpoint or _default_checkpoint(without_arcs(opened, closures), search.metric, matrix)
        result = _run(
            opened,
            device,
            cancel,
            checkpoint=noted,
            algorithm=search.algorithm,
            sources=chosen,
            keep=matrix or "summary",
            metric=search.metric,
            options=options,
            threads=search.threads,
            runs=runs,
            verify=verify,
            closures=closures,
            scheduler=scheduler,
        )
    for line in _remarks(result):
        print_message(line)
    if json:
        print_json(result.summary())
    elif not files.on_stdout:
        print_tables(facts_table(_title(result), _facts(result)))
    files.write(lambda path: _write_figures(result, path))


def choose_sources(network: RoadNetwork, text: str, named: Sequence[str] | None = None) -> NDArray[np.int32] | None:
    """Return internal numbers of the sources that a text names, None for all nodes; ``named`` ones instead, if any.

    A number alone is how many: spread evenly over the nodes in the order in which they lie on the map. Raises
    ``OptionError`` for what is none of the three forms, and ``NetworkError`` for an id that no node has.
    """
    import numpy as np

    n = network.node_count
    if named:
        return np.array(engine_calls.find_nodes(network, named), np.int32)
    if text.strip() == ALL:
        return None
    try:
        numbers = [int(word) for word in parse_list(text)]
    except ValueError:
        raise OptionError(f"--sources is 'all', a number of nodes, or ids with commas, not {text!r}") from None
    if "," in text:
        return np.array([network.node(number) for number in numbers], np.int32)
    if not 1 <= numbers[0] <= n:
        raise OptionError(
            f"--sources {text}: {network.name} has {n:,} nodes; name 1 to {n:,}, or ids with commas ('{text},')"
        )
    return (np.arange(numbers[0], dtype=np.int64) * n // numbers[0]).astype(np.int32)


def _announce_matrix(network: RoadNetwork, sources: NDArray[np.int32] | None, matrix: str | None) -> None:
    """Say how large a matrix will be, if it is large."""
    from wayfront.search.all_pairs.rows import matrix_bytes

    n = network.node_count
    taken = matrix_bytes((n if sources is None else len(sources), n))
    if matrix is not None and taken > ANNOUNCED_FROM_BYTES:
        print_message(f"the matrix takes {taken / 1e9:,.1f} GB")


def _default_checkpoint(network: RoadNetwork, metric: str | None, matrix: str | None) -> Path:
    """Return where finished sources are noted if nobody says it: beside the matrix, else in the private cache."""
    from wayfront.search.all_pairs.checkpoint import SUFFIX
    from wayfront.user_folders import cache_folder, make_private

    if matrix is not None:
        return Path(f"{matrix}{SUFFIX}")
    key = hashlib.blake2b(network.metric(metric).name.encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
    return make_private(cache_folder() / "all-pairs") / f"{network.content_key}-{key}{SUFFIX}"


def _run(network: RoadNetwork, device: str, cancel: Event, *, checkpoint: str | Path, **asked: Any) -> PairsResult:
    """Run ``wayfront.all_pairs`` showing progress; say how to go on where it is cancelled."""
    import wayfront

    with progress_bar() as show:
        reporter = _Reporter(show)
        try:
            return wayfront.all_pairs(
                network, device=device, cancel=cancel, progress=reporter, checkpoint=checkpoint, **asked
            )
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
        self._told_bytes = False
        self.finished = "no sources"

    def __call__(self, progress: Progress) -> None:
        """Show a report."""
        from wayfront_gui.model.formatting import about

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
        if taken > ANNOUNCED_FROM_BYTES and not self._told_bytes:
            self._told_bytes = True
            print_message(f"it takes {taken / 1e9:,.1f} GB of the device's memory")
        # The first forecast is a guess by one search; the first batch may tell another story.
        if ahead and ahead > ANNOUNCED_FROM_S and not self._announced / 2 < ahead < 2 * self._announced:
            self._announced = ahead
            print_message(f"it will take about {about(ahead)}; Ctrl-C stops it and keeps what is finished")


def _remarks(result: PairsResult) -> list[str]:
    """Return what is said beside the result."""
    lines = [result.note] if result.note else []
    if result.found_before:
        lines.append(f"{result.found_before:,} sources were finished before: the time is that of the others")
    if result.verified and result.proved < len(result.sources):
        lines.append(f"{result.proved:,} of {len(result.sources):,} rows are proved: the others were found before")
    if result.matrix_path:
        lines.append(f"matrix written to {result.matrix_path}")
    return lines


def _title(result: PairsResult) -> str:
    count, n = len(result.sources), result.network.node_count
    which = "all nodes" if count == n else f"{count:,} of {n:,} nodes"
    return f"{result.algorithm} on {result.network.name} from {which}"


def _facts(result: PairsResult) -> dict[str, str]:
    """Return the lines of the table that is printed: name and value."""
    from wayfront_gui.cli.search_facts import distance_text, setting
    from wayfront_gui.model import formatting

    summary, metric, timing = result.summary(), result.metric, result.timing
    time = "not timed"
    if timing.median_ms is not None and result.trees_per_s is not None:
        rate = f"{result.trees_per_s:,.0f} trees/s" if result.trees_per_s >= 10 else f"{result.trees_per_s:.2g} trees/s"
        time = f"{formatting.milliseconds(timing.median_ms)}, {formatting.times(result)}; {rate}"
    pairs, diameter, centre = summary["pairs_reached"], summary["diameter"], summary["centre"]
    of = " of these sources" if len(result.sources) < result.network.node_count else ""
    facts = {
        **setting(result),
        "sources": f"{len(result.sources):,}",
        "pairs": f"{pairs:,} with a path, {summary['pairs_unreached']:,} without",
        "sum of distances": f"{summary['sum_distance']:,}",
        "mean distance": _mean(result),
        f"diameter{of}": f"{distance_text(metric, diameter['distance'])}, from node {diameter['from']} "
        f"to node {diameter['to']}",
        f"centre{of}": f"node {centre['node']}, at most {distance_text(metric, centre['eccentricity'])}, "
        "from every node it reaches",
        "steps": "–" if result.steps is None else f"{result.steps:,}",
        "time": time,
        **formatting.preparation(timing.prepare_ms, timing.from_scratch_ms),
    }
    if result.device_bytes:
        facts["memory"] = f"{result.device_bytes / 1e6:,.1f} MB on the device, beside the network"
    if timing.transfer_ms:
        facts["rows"] = "copying back, proving and keeping them took " + formatting.milliseconds(timing.transfer_ms)
    if result.verified:
        facts["verified"] = f"{result.proved:,} rows are proved right, {result.compared:,} compared with Dijkstra's"
    return facts


def _mean(result: PairsResult) -> str:
    """Return the mean distance of all pairs of two nodes with a path."""
    from wayfront_gui.cli.search_facts import distance_text

    others = result.pairs_reached - len(result.sources)
    if not others:
        return "–"
    return distance_text(result.metric, result.sum_distance / others)


COLUMNS = ("node", "eccentricity", "farthest", "sum", "mean", "closeness", "reached", "unreached")


def _write_figures(result: PairsResult, path: str) -> None:
    """Write the figures of every source, whole or not at all. Raises ``WriteError``."""
    from wayfront.files import write_text_whole

    rows = _figures(result)
    if Path(path).suffix == CSV:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(["" if value is None else value for value in row] for row in rows)
        write_text_whole(path, text.getvalue())
        return
    nodes = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    write_text_whole(path, json_module.dumps({**result.summary(), "nodes": nodes}, allow_nan=False) + "\n")


def _figures(result: PairsResult) -> list[tuple[Any, ...]]:
    """Return a row for every source, in the order of ``COLUMNS``; None for what does not exist."""
    ids, figures, n = result.network.node_ids, result.figures, result.network.node_count
    columns = zip(
        ids[result.sources].tolist(),
        figures.eccentricity.tolist(),
        ids[figures.farthest].tolist(),
        figures.total.tolist(),
        _numbers(result.mean),
        _numbers(result.closeness),
        figures.reached.tolist(),
        (n - figures.reached).tolist(),
        strict=True,
    )
    return list(columns)


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]
