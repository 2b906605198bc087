"""Note finished sources in a file, so that a cancelled or killed all-pairs search goes on where it was.

The file holds the figures of every finished source, by node and not by order, and nothing of the algorithm: distances
are facts of network and metric, so another algorithm on another device can go on with it. It is written whole or not
at all, every half minute and when a search ends early, and deleted when nothing is left to be found. Finished sources
that the present search did not ask for are kept.

Nothing in it is believed: network and metric have to be those of the search, and arrays as declared. Rows of an
unfinished matrix count as finished only where their figures are those of the file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import counted_ranks
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.matrix_files import KeptRows
from wayfront.results.pairs import PairsSummary, figure_fields
from wayfront.safe.errors import FormatError, SchemaError
from wayfront.safe.files import open_regular, write_whole
from wayfront.safe.schema import HeaderField, check_header
from wayfront.safe.text import printable
from wayfront.searching.all_pairs.proof import Prover, figures_of, reference_row, spread_places
from wayfront.trace.container import ArrayArchive, damage_explained, write_arrays

FORMAT = "wayfront all pairs 1"
SUFFIX = ".wfpairs"

SAVE_EVERY_S = 30.0

_NODES = "nodes"
_FIELDS = figure_fields(_NODES, "found")
_HEADER_FIELDS = (
    HeaderField("format", (str,), longest=100),
    HeaderField("content_key", (str,), longest=100),
    HeaderField("network", (str,), longest=1000, file_name=True),
    HeaderField("metric", (str,), longest=1000),
)
_LONGEST_HEADER = 1 << 16


class Checkpoint:
    """The finished sources of one network and metric, in a file that need not be there yet."""

    def __init__(self, path: str | Path, network: RoadNetwork, metric: Metric) -> None:
        self.path: Path = Path(path)
        self._network = network
        self._metric = metric
        self._others: dict[str, NDArray[Any]] = {}
        self._saved_at = time.monotonic()
        self._saved_count = 0

    def load(
        self, sources: NDArray[np.int32], figures: PairsSummary, rows: KeptRows | None, prover: Prover | None = None
    ) -> int:
        """Note in ``figures`` what the file has of ``sources``; return how many that are.

        With ``rows`` only sources count whose row is in the unfinished matrix, and is right by the ``prover``. Raises
        ``FormatError`` where the file is damaged or of another network or metric, and ``MemoryShortError``.
        """
        if not self.path.exists():
            return 0
        found = self._read()
        place = np.full(self._network.node_count, -1, np.intp)
        place[sources] = np.arange(len(sources))
        wanted = place[found["sources"]] >= 0
        self._others = {name: array[~wanted] for name, array in found.items()}
        places = place[found["sources"][wanted]]
        figures.set(places, *(found[f.name][wanted] for f in _FIELDS[1:]))
        self._find_some_again(sources, figures, places)
        if rows is not None:
            _drop_rows_that_differ(figures, rows, self._network, prover)
        self._saved_count = int(figures.done.sum())
        return self._saved_count

    def _find_some_again(self, sources: NDArray[np.int32], figures: PairsSummary, places: NDArray[np.intp]) -> None:
        """Raise ``FormatError`` where a search from some of the sources finds other figures than the file's."""
        rank = counted_ranks(self._network)
        for place in places[spread_places(len(places))] if len(places) else ():
            if figures_of(reference_row(self._network, self._metric, int(sources[place])), rank) != figures.at(place):
                node = self._network.node_ids[sources[place]]
                raise FormatError(f"damaged: the figures of node {node} are wrong; delete it to begin anew", self.path)

    def save(self, sources: NDArray[np.int32], figures: PairsSummary, rows: KeptRows | None) -> None:
        """Write all sources finished so far, whose rows are brought to disk first. Raises ``WriteError``."""
        if rows is not None:
            rows.flush()
        done = figures.done
        arrays = {"sources": sources[done]} | {f.name: getattr(figures, f.name)[done] for f in _FIELDS[1:]}
        self._saved_at, self._saved_count = time.monotonic(), int(done.sum())
        self._write(
            {name: np.concatenate((array, self._others.get(name, array[:0]))) for name, array in arrays.items()}
        )

    def save_if_due(self, sources: NDArray[np.int32], figures: PairsSummary, rows: KeptRows | None) -> None:
        """Save if sources were finished since, and the last time is half a minute ago."""
        if time.monotonic() - self._saved_at > SAVE_EVERY_S and int(figures.done.sum()) > self._saved_count:
            self.save(sources, figures, rows)

    def close(self) -> None:
        """Delete the file, or leave in it what the search did not ask for: all else is found."""
        if len(self._others.get("sources", ())):
            self._write(self._others)
        else:
            self.path.unlink(missing_ok=True)

    def _write(self, arrays: dict[str, NDArray[Any]]) -> None:
        header = {
            "format": FORMAT,
            "content_key": self._network.content_key,
            "network": self._network.name,
            "metric": self._metric.name,
        }
        with write_whole(self.path) as file:
            write_arrays(file, header, arrays)

    def _read(self) -> dict[str, NDArray[Any]]:
        with damage_explained(self.path, "delete it to begin anew"), open_regular(self.path) as file:
            archive = ArrayArchive(file)
            self._check_header(archive)
            arrays, _ = archive.read_all(_FIELDS, {_NODES: self._network.node_count}, self.path)
            if (arrays["reached"] > self._network.node_count).any() or (arrays["total"] < arrays["eccentricity"]).any():
                raise SchemaError("figures of a source contradict each other")
        return arrays

    def _check_header(self, archive: ArrayArchive) -> None:
        """Raise ``SchemaError`` for a header that is no checkpoint's, and ``FormatError`` for one of another search."""
        header = check_header(archive.header(_LONGEST_HEADER), _HEADER_FIELDS)
        if header["format"] != FORMAT:
            raise SchemaError(f"its format is {printable(header['format'])!r}, which this version does not know")
        network, metric = self._network, self._metric
        if (header["content_key"], header["metric"]) != (network.content_key, metric.name):
            raise FormatError(
                f"it holds finished sources of {printable(header['network'])} by {printable(header['metric'])}, not of "
                f"{network.name} by {metric.name}: name another file, or delete it",
                self.path,
            )


def _drop_rows_that_differ(figures: PairsSummary, rows: KeptRows, network: RoadNetwork, prover: Prover | None) -> None:
    """Take sources for unfinished whose row is not in the unfinished matrix, has other figures than theirs, or is
    wrong by the prover.
    """
    if not rows.reopen():
        figures.done[:] = False
        return
    rank = counted_ranks(network)
    for place in np.flatnonzero(figures.done).tolist():
        row = rows.row(place)
        same = figures_of(row, rank) == figures.at(place)
        figures.done[place] = same and (prover is None or prover.holds(place, row))
