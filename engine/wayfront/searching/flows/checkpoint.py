"""Note flows of finished sources in a file, so that a cancelled or killed run goes on where it was.

Flows of sources add up, so trees are made for a part of the sources after the other, each of some seconds, and the file
holds the sums of those that are finished: the first ones, in the order of the call. It is written whole or not at all,
every half minute and when a run ends early, and deleted when nothing is left to be found.

Nothing in it is believed. Network, metric, closures and all else that is asked for have to be those of the run, by a
key of them. Sums have to be conserved at every node, and flows times weights to be what demand travelled.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfront.safe.errors import FormatError, SchemaError, SearchCancelled
from wayfront.safe.files import open_regular, write_whole
from wayfront.safe.schema import ArrayField, HeaderField, check_header
from wayfront.safe.text import printable
from wayfront.searching.all_pairs.checkpoint import SAVE_EVERY_S
from wayfront.searching.flows.by_trees import FIGURES, Asked, Found, OpenArcs, Sums, Targets
from wayfront.trace.container import ArrayArchive, damage_explained, write_arrays

FORMAT = "wayfront flows 1"
SUFFIX = ".wfflows"

PART_S, FIRST_PART, GROWTH = 10.0, 64, 8
"""How long a part should take, how many sources the first one has, and how many times as many the next one at most."""

_REMEDY = "delete it to begin anew"
_NEAR = 1e-9
_HEADER_FIELDS = (
    HeaderField("format", (str,), longest=100),
    HeaderField("asked", (str,), longest=100),
    HeaderField("network", (str,), longest=1000, file_name=True),
    HeaderField("done", (int,), lowest=0, highest=1 << 40),
    HeaderField("distance", (str,), longest=60, pattern="[0-9]+"),
)
_FIELDS = (
    ArrayField(name="flow", dtypes=(np.float64,), counts="arcs"),
    ArrayField(name="through", dtypes=(np.float64,), counts="nodes", lowest=None),
    ArrayField(name="starts", dtypes=(np.float64,), counts="nodes", lowest=None),
    ArrayField(name="ends", dtypes=(np.float64,), counts="nodes"),
    ArrayField(name="totals", dtypes=(np.float64,), counts="totals", lowest=None),
    ArrayField(name="figures", dtypes=(np.float64,), counts="rows", columns=len(FIGURES)),
)
_LONGEST_HEADER = 1 << 14


class Checkpoint:
    """Flows of the first sources of a call, in a file that need not be there yet."""

    def __init__(
        self, path: str | Path, network_name: str, arcs: OpenArcs, asked: Asked, rank: NDArray[np.int32]
    ) -> None:
        """Take a file, or a folder, in which the file is named by what is asked for; ``rank`` chooses among paths."""
        self._name, self._arcs = network_name, arcs
        self.asked: Asked = asked
        self._key = _key_of(arcs, asked, rank)
        self.path: Path = Path(path, f"{self._key}{SUFFIX}") if Path(path).is_dir() else Path(path)

    def load(self) -> tuple[int, Found]:
        """Return how many sources are finished, and what they found: nothing where there is no file.

        Raises ``FormatError`` where the file is damaged or of another call, and ``MemoryShortError``.
        """
        n, k, count = len(self._arcs.offsets) - 1, len(self._arcs.heads), len(self.asked.sources)
        rows = count if self.asked.figures else 0
        if not self.path.exists():
            return 0, Found(Sums.none(n, k), np.zeros((rows, len(FIGURES))), 0)
        with damage_explained(self.path, _REMEDY), open_regular(self.path) as file:
            archive = ArrayArchive(file)
            header = check_header(archive.header(_LONGEST_HEADER), _HEADER_FIELDS)
            if header["format"] != FORMAT:
                raise SchemaError(f"its format is {printable(header['format'])!r}, which this version does not know")
            if header["asked"] != self._key:
                raise FormatError(
                    f"it holds flows on {printable(header['network'])} that were asked for in another way, such as by "
                    "another metric, demand or radius: name another file, or delete it",
                    self.path,
                )
            known = {"arcs": k, "nodes": n, "totals": 3, "rows": rows}
            arrays, _ = archive.read_all(_FIELDS, known, self.path)
            found = Found(Sums(*(arrays[name] for name in Sums._fields)), arrays["figures"], int(header["distance"]))
            problem = "more sources than were asked for" if header["done"] > count else self._problem(found)
            if problem:
                raise SchemaError(problem)
        return header["done"], found

    def _problem(self, found: Found) -> str:
        """Return why sums cannot be those of flows, or an empty string."""
        sums, arcs, n = found.sums, self._arcs, len(self._arcs.offsets) - 1
        if not all(np.isfinite(array).all() for array in (*sums, found.figures)):
            return "a flow in it is no number"
        coming = np.bincount(arcs.heads, sums.flow, minlength=n) - sums.ends
        going = np.bincount(arcs.tails, sums.flow, minlength=n) - sums.starts
        near = _NEAR * (1.0 + float(np.abs(sums.totals[:2]).sum()))
        if (np.abs(coming - sums.through) > near).any() or (np.abs(going - sums.through) > near).any():
            return "what comes to a node in it does not go on or end"
        travelled = float(sums.flow @ (arcs.weights // arcs.step))
        if abs(travelled - sums.totals[2]) > _NEAR * (1.0 + travelled):
            return "its flows are not as long as the paths of its demand"
        whole = self.asked.one_each and not self.asked.all_ties
        if whole and abs(found.distance - sums.totals[2]) > _NEAR * (1.0 + travelled):
            return "its sum of distances is not that of its flows"
        return ""

    def save(self, done: int, found: Found) -> None:
        """Write what the first ``done`` sources found. Raises ``WriteError``."""
        header = {
            "format": FORMAT,
            "asked": self._key,
            "network": self._name,
            "done": done,
            "distance": str(found.distance),
        }
        with write_whole(self.path) as file:
            write_arrays(file, header, {**found.sums._asdict(), "figures": found.figures})


def find_in_parts(
    find: Callable[[Asked, Callable[[float], None]], Found], noted: Checkpoint, report: Callable[[float], None]
) -> Found:
    """Return what ``find`` finds of all sources, a part after the other; go on from what is noted.

    ``find`` is given what is asked of a part, and whom it tells what fraction of that is done. Raises what ``find`` and
    ``Checkpoint.load`` raise, and ``WriteError``.
    """
    asked = noted.asked
    count, some, saved_at = len(asked.sources), FIRST_PART, time.monotonic()
    done, found = noted.load()
    saved = done
    try:
        while done < count:
            end, began = min(done + some, count), time.monotonic()
            share = (end - done) / count
            part = find(
                _part_of(asked, done, end),
                lambda fraction, begin=done / count, share=share: report(begin + fraction * share),  # type: ignore[misc]
            )
            if asked.figures:
                found.figures[done:end] = part.figures
            # Not in place: whatever interrupts this, what is noted is of the first sources, each once.
            sums = Sums(*(mine + theirs for mine, theirs in zip(found.sums, part.sums, strict=True)))
            found, done = Found(sums, found.figures, found.distance + part.distance), end
            spent = max(time.monotonic() - began, 1e-3)
            some = max(1, int(some * min(PART_S / spent, GROWTH)))
            if time.monotonic() - saved_at > SAVE_EVERY_S and done < count:
                noted.save(done, found)
                saved, saved_at = done, time.monotonic()
    except BaseException as problem:
        if done > saved:
            noted.save(done, found)
        if done and isinstance(problem, SearchCancelled):
            raise SearchCancelled(
                f"finding flows was stopped: {done:,} of {count:,} sources are finished and noted in {noted.path}; the "
                "same call goes on from there"
            ) from None
        raise
    noted.path.unlink(missing_ok=True)
    return found


def _part_of(asked: Asked, begin: int, end: int) -> Asked:
    """Return what is asked of some of the sources."""
    targets = asked.targets
    if len(targets.offsets) > 1:
        first, last = int(targets.offsets[begin]), int(targets.offsets[end])
        offsets = targets.offsets[begin : end + 1] - first
        targets = Targets(targets.weights, offsets, targets.nodes[first:last], targets.trips[first:last])
    return asked._replace(sources=asked.sources[begin:end], shares=asked.shares[begin:end], targets=targets)


def _key_of(arcs: OpenArcs, asked: Asked, rank: NDArray[np.int32]) -> str:
    """Return a key of all that flows follow from: what runs with the same key find is the same."""
    key = hashlib.blake2b(digest_size=16)
    for part in (*arcs, rank, asked.sources, asked.shares, asked.metres, asked.ends, *asked.targets):
        array = np.ascontiguousarray(part)
        key.update(f"{array.dtype.str}{array.shape}".encode())
        key.update(array.tobytes())
    plain = asked.limit, asked.all_ties, str(asked.decay), asked.scale, asked.figures, asked.one_each
    key.update(repr(plain).encode())
    return key.hexdigest()
