"""Declare each array of a trace once: name, dtype, length, range of values, meaning.

A trace is flat arrays, never a Python object per node. The recorder, the file and its checks loop over
``TRACE_FIELDS``, which is read from the declarations in ``StepNote`` and ``Trace``. A new figure of every step is one
attribute of ``StepNote``, with its ``Figure`` and its default: then it is recorded, saved, checked and read, and
``trace.figures`` has it.

Trace files are additive. A figure that a file lacks is absent, and has its default wherever it is asked for; one that
this version does not know is read, kept in ``trace.figures`` and saved again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from wayfront.network import schema as network_schema
from wayfront.pictures import Film, Picture, film, picture, shown_picture
from wayfront.safe.errors import OptionError
from wayfront.safe.schema import ArrayField

NO_BUCKET = -1

NO_QUEUE = -1

NOT_SETTLED = -1

NO_NUMBER = -1

NO_KEY = -1

STEPS, NODES, FRONTIERS, PAIRS = "steps", "nodes", "frontier nodes", "pairs of nodes"

HELD_NODES, HELD_ROWS, HELD_TITLES = "held nodes", "held rows", "titles of held rows"
"""What the rows of an array count, or its columns."""

NO_PATH = network_schema.NO_PATH
"""The tentative distance of a node, or of a pair of nodes, to which no path is known yet."""

LABELS = "labels"
"""Values are indices into the trace's label names."""


class StateRow(NamedTuple):
    """One part of what a search holds, such as a bucket.

    title   its name; ``{number}`` in it stands for ``number``
    nodes   internal numbers, in the order of the structure
    keys    the distances that they are kept with, in raw weights, one for each node; empty where there are none
    number  which bucket it is, ``NO_NUMBER`` where there is but one
    """

    title: str
    nodes: Sequence[int]
    keys: Sequence[int] = ()
    number: int = NO_NUMBER

    @property
    def name(self) -> str:
        """The title with its number."""
        return self.title.replace("{number}", f"{self.number:,}")


class StepState(NamedTuple):
    """What a search holds after a step, as a table: its name, the titles of its columns, and the rows."""

    title: str
    columns: tuple[str, str, str]
    rows: tuple[StateRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceField(ArrayField):
    """One array of a trace.

    note  the attribute of ``StepNote`` it is recorded from, "" for figures that the recorder counts
    """

    note: str = ""


class Figure(NamedTuple):
    """How a trace keeps a figure that algorithms report of every step.

    name    of its array, by default that of the note's attribute
    lowest  no value is below this
    below   what values have to be below, such as ``NODES``
    """

    name: str = ""
    lowest: int = 0
    below: str | None = None
    dtype: type = np.int64


EARLIER_PHASES = {
    "climb": "ascend",
    "climb and descend": "ascend and descend",
    "all of the climb is one chain; its time is shared by additions": (
        "all of the ascent is one chain; its time is shared by additions"
    ),
}
"""Phases of the dissection, and why one is as it is, by what older traces and lessons say for them."""


class StepNote(NamedTuple):
    """What an algorithm reports of one step beyond its frontier: a tuple, since clean runs make one a step too.

    ``bucket`` is an index with its distance bounds ``low`` ≤ d < ``high`` (raw weights), or ``NO_BUCKET``.
    ``mode`` is the thread mapping, ``reason`` why it was chosen, ``phase`` the algorithm's own name for what
    this step did. ``relaxations`` overrides the count of arcs leaving the frontier, which a step of several
    ``passes`` tries as often. ``queue`` counts the nodes that wait after the step, or is ``NO_QUEUE``; ``settled`` is
    the one node (internal number) the step settled, or ``NOT_SETTLED`` where a step does not settle exactly one.
    """

    mode: str = "all nodes"
    reason: str = ""
    phase: str = ""
    bucket: Annotated[int, Figure(lowest=NO_BUCKET)] = NO_BUCKET
    low: Annotated[int, Figure("bucket_low")] = 0
    high: Annotated[int, Figure("bucket_high")] = 0
    relaxations: int | None = None
    passes: int = 1
    queue: Annotated[int, Figure(lowest=NO_QUEUE)] = NO_QUEUE
    settled: Annotated[int, Figure(lowest=NOT_SETTLED, below=NODES, dtype=np.int32)] = NOT_SETTLED


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of a trace, as a view: ``frontier`` is int32 internal node numbers, thinned by the stride."""

    index: int
    frontier: NDArray[np.int32]
    frontier_size: int
    relaxations: int
    improved: int
    time_ns: int
    note: StepNote


def _rules(dtype: type, counts: str, **others: Any) -> dict[str, Any]:
    """Return the attributes of an array's ``TraceField``."""
    return {"dtypes": (dtype,), "counts": counts, **others}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Trace:
    """The steps of one search.

    frontier_nodes    every ``stride``-th node of each step's frontier, internal numbers
    frontier_offsets  where each step's nodes begin in ``frontier_nodes``
    frontier_size     true sizes of frontiers
    relaxations       arcs tried
    improved          nodes whose distance fell
    time_ns           device time of the step, in this traced run
    figures           what the search reported of every step, by name, and figures that another version recorded.
                      ``StepNote`` declares them, and each can be had as an attribute, with its default where a file
                      lacks it: ``bucket`` is the index of the bucket, -1 where there is none, with its bounds
                      ``bucket_low`` and ``bucket_high`` in raw weights, ``queue`` counts nodes that wait after the
                      step, -1 where the search has no queue, and ``settled`` is the node that the step settled, -1
                      where it is not exactly one
    labels            mode, reason and phase as indices into ``label_names``
    first_reached     step that first gave the node a distance, -1 if none; 0 for where the search begins
    last_improved     step that last lowered it, likewise

    For small graphs alone (``network.small``), and None for others and in older files:

    tentative         row k: the distance of every node after k steps, as the search had it; ``NO_PATH`` where none is
                      known yet
    matrices          row k: the distances of all pairs after k steps, the matrix of Floyd and Warshall row by row; None
                      for other searches
    held_…            what the search held after k steps, read by ``held``: row r has the nodes from ``held_ends[r]`` on
                      with their keys, a title as an index into ``held_names``, and a number; the rows after k steps
                      begin at ``held_begins[k]``. None where the search did not report it

    ``recorded_of`` is the result it was recorded of, without this trace, by which it is drawn; None for a trace alone.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=5")
        >>> trace = wayfront.search(network, 0, "dijkstra", "cpu", trace=True).trace
        >>> len(trace), trace.step(0).frontier.tolist(), trace.first_reached[0]
        (5, [0], np.int32(0))
        >>> trace.with_arrays(queue=trace.improved).queue.tolist() == trace.improved.tolist()
        True
    """

    frontier_nodes: NDArray[np.int32] = field(metadata=_rules(np.int32, FRONTIERS, below=NODES))
    frontier_offsets: NDArray[np.int64] = field(metadata=_rules(np.int64, STEPS, more=1, rises_to=FRONTIERS))
    frontier_size: NDArray[np.int32] = field(metadata=_rules(np.int32, STEPS))
    relaxations: NDArray[np.int64] = field(metadata=_rules(np.int64, STEPS))
    improved: NDArray[np.int64] = field(metadata=_rules(np.int64, STEPS))
    time_ns: NDArray[np.int64] = field(metadata=_rules(np.int64, STEPS))
    labels: NDArray[np.int32] = field(metadata=_rules(np.int32, STEPS, below=LABELS, columns=3))
    first_reached: NDArray[np.int32] = field(metadata=_rules(np.int32, NODES, lowest=-1, below=STEPS))
    last_improved: NDArray[np.int32] = field(metadata=_rules(np.int32, NODES, lowest=-1, below=STEPS))
    figures: Mapping[str, NDArray[Any]]
    stride: int
    label_names: tuple[str, ...]
    tentative: NDArray[np.int64] | None = field(
        default=None,
        metadata=_rules(np.int64, STEPS, more=1, across=NODES, lowest=NO_PATH, group="tentative distances"),
    )
    matrices: NDArray[Any] | None = field(
        default=None,
        metadata=_rules(np.int32, STEPS, more=1, across=PAIRS, lowest=NO_PATH, group="matrices")
        | {"dtypes": (np.int32, np.int64)},
    )
    held_nodes: NDArray[np.int32] | None = field(
        default=None, metadata=_rules(np.int32, HELD_NODES, below=NODES, group=HELD_ROWS)
    )
    held_keys: NDArray[np.int64] | None = field(
        default=None, metadata=_rules(np.int64, HELD_NODES, lowest=NO_KEY, group=HELD_ROWS)
    )
    held_ends: NDArray[np.int64] | None = field(
        default=None, metadata=_rules(np.int64, HELD_ROWS, more=1, rises_to=HELD_NODES, group=HELD_ROWS)
    )
    held_titles: NDArray[np.int32] | None = field(
        default=None, metadata=_rules(np.int32, HELD_ROWS, below=HELD_TITLES, group=HELD_ROWS)
    )
    held_numbers: NDArray[np.int64] | None = field(
        default=None, metadata=_rules(np.int64, HELD_ROWS, lowest=NO_NUMBER, group=HELD_ROWS)
    )
    held_begins: NDArray[np.int64] | None = field(
        default=None, metadata=_rules(np.int64, STEPS, more=2, rises_to=HELD_ROWS, group=HELD_ROWS)
    )
    held_names: tuple[str, ...] = ()
    recorded_of: Any = None

    def __len__(self) -> int:
        return len(self.frontier_size)

    def __repr__(self) -> str:
        return f"<Trace: {len(self):,} steps over {len(self.first_reached):,} nodes>"

    def __getattr__(self, name: str) -> NDArray[Any]:
        known = NOTES.get(name)
        if known is None:
            raise AttributeError(f"a trace has no attribute {name!r}")
        figure = self.figures.get(name)
        return np.full(len(self), StepNote._field_defaults[known.note], known.dtypes[0]) if figure is None else figure

    def with_arrays(self, **arrays: NDArray[Any]) -> Trace:
        """Return the trace with other arrays, by name, those of figures among them."""
        own: dict[str, Any] = {name: arrays.pop(name) for name in tuple(arrays) if name in _NAMES}
        return replace(self, figures={**self.figures, **arrays}, **own)

    def frontier(self, step: int) -> NDArray[np.int32]:
        """Return the recorded nodes of one step's frontier (a view)."""
        return self.frontier_nodes[self.frontier_offsets[step] : self.frontier_offsets[step + 1]]

    def step(self, index: int) -> Step:
        """Return everything about one step."""
        figures = {f.note: int(self.figures[f.name][index]) for f in NOTED_FIELDS if f.name in self.figures}
        mode, reason, phase = (self.label_names[i] for i in self.labels[index])
        return Step(
            index=index,
            frontier=self.frontier(index),
            frontier_size=int(self.frontier_size[index]),
            relaxations=int(self.relaxations[index]),
            improved=int(self.improved[index]),
            time_ns=int(self.time_ns[index]),
            note=StepNote(mode, reason, phase, **figures),
        )

    def __iter__(self) -> Iterator[Step]:
        return (self.step(i) for i in range(len(self)))

    def held(self, done: int) -> tuple[StateRow, ...] | None:
        """Return what the search held after so many steps, as it reported it; None where it did not."""
        titles, numbers, ends, begins = self.held_titles, self.held_numbers, self.held_ends, self.held_begins
        nodes, keys = self.held_nodes, self.held_keys
        if titles is None or numbers is None or ends is None or begins is None or nodes is None or keys is None:
            return None
        rows = []
        for row in range(int(begins[done]), int(begins[done + 1])):
            part = slice(int(ends[row]), int(ends[row + 1]))
            known = () if (keys[part] == NO_KEY).any() else tuple(keys[part].tolist())
            title = self.held_names[titles[row]]
            rows.append(StateRow(title, tuple(nodes[part].tolist()), known, int(numbers[row])))
        return tuple(rows)

    def settled_distance(self, distances: NDArray[Any]) -> NDArray[np.int64]:
        """Return int64 [steps]: the largest final distance among nodes last improved up to each step.

        It never falls, so a player can walk the search by distance instead of by step.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:ring?nodes=6")
            >>> result = wayfront.search(network, 0, "dijkstra", "cpu", trace=True)
            >>> trace = result.trace
            >>> bool(trace.settled_distance(result.distances)[-1] == result.distances.max())
            True
            >>> trace.frontier(0).tolist(), sorted(trace.arrays())[0], len(trace.held(1) or ()) > 0
            ([0], 'bucket', True)
        """
        reached = self.last_improved >= 0
        largest = np.zeros(max(len(self), 1), np.int64)
        np.maximum.at(largest, self.last_improved[reached], distances[reached].astype(np.int64))
        return np.maximum.accumulate(largest)[: len(self)]

    def plot(
        self,
        step: int | None = None,
        *,
        theme: str = "light",
        width: int = 960,
        height: int = 600,
        scale: float = 2.0,
    ) -> Picture:
        """Return a picture of the search at a step, by default the finished tree; a notebook shows it.

        Arguments and errors are those of ``Result.plot``; ``OptionError`` too for a trace of no tree.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> trace = wayfront.search(network, 0, "dijkstra", "cpu", trace=True).trace
            >>> trace.plot(5, width=60, height=40).png[1:4]
            b'PNG'
        """
        return picture(self._subject, step=step, theme=theme, width=width, height=height, scale=scale)

    def animate(
        self,
        *,
        seconds: float = 6.0,
        walk: str = "step",
        theme: str = "light",
        width: int = 640,
        height: int = 400,
        scale: float = 1.5,
        captions: bool = True,
        form: str = "mp4",
    ) -> Film:
        """Return a film of the search, step by step and then its tree, which a notebook plays in its cell.

        ``seconds`` is how long it lasts; ``walk`` says what grows evenly: ``"step"``, ``"time"`` or ``"distance"``.
        ``form`` is ``"mp4"``, ``"webm"`` or ``"gif"``. The others are as for ``plot``. Needs the extra ``film``. Raises
        ``OptionError`` for what does not exist, for a trace of no tree, and where canvas or encoder are missing.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> trace = wayfront.search(network, 0, "dijkstra", "cpu", trace=True).trace
            >>> trace.animate(seconds=0.2, width=64, height=48, scale=1, form="gif").data[:4]
            b'GIF8'
        """
        how: dict[str, Any] = {"seconds": seconds, "walk": walk, "captions": captions, "form": form}
        return film(self._subject, **how, theme=theme, width=width, height=height, scale=scale)

    @property
    def _subject(self) -> Any:
        """The result with this trace. Raises ``OptionError`` where there is none that can be drawn."""
        if not hasattr(self.recorded_of, "parents"):
            raise OptionError(
                "this trace belongs to no tree on a map, so it cannot be drawn; plot what a search returns"
            )
        return replace(self.recorded_of, trace=self)

    def _repr_png_(self) -> bytes | None:
        of = self.recorded_of
        return shown_picture(self._subject, of.network) if hasattr(of, "parents") else None

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that it has, by name."""
        arrays = {f.name: getattr(self, f.name) for f in _ARRAYS}
        return {name: array for name, array in arrays.items() if array is not None} | dict(self.figures)


def _noted() -> Iterator[TraceField]:
    """Yield the figures that ``StepNote`` declares; each is a group of its own, which a file may lack."""
    for note, declared in get_type_hints(StepNote, include_extras=True).items():
        for figure in getattr(declared, "__metadata__", ()):
            name = figure.name or note
            rules = _rules(figure.dtype, STEPS, lowest=figure.lowest, below=figure.below, group=name)
            yield TraceField(name=name, note=note, **rules)


_ARRAYS = tuple(TraceField(name=f.name, **f.metadata) for f in fields(Trace) if f.metadata)
_NAMES = frozenset(f.name for f in _ARRAYS)
_WHOLE = tuple(f for f in _ARRAYS if not f.group)
SMALL_FIELDS = tuple(f for f in _ARRAYS if f.group)
"""The arrays that traces of small graphs may have beside the others."""
NOTED_FIELDS = tuple(_noted())
"""The figures that algorithms report of every step."""
NOTES: Mapping[str, TraceField] = {f.name: f for f in NOTED_FIELDS}
TRACE_FIELDS = (*_WHOLE, *NOTED_FIELDS)
_COUNTED = tuple(f for f in _WHOLE if f.counts == STEPS and not f.more)
STEP_FIELDS = (*_COUNTED[:-1], *NOTED_FIELDS, _COUNTED[-1])
"""The figures of every step, in the order in which the recorder keeps them: counted, reported, labels."""

noted_figures: Callable[[StepNote], tuple[Any, ...]] = attrgetter(*(f.note for f in NOTED_FIELDS))
"""Return the figures of a ``StepNote`` that a trace keeps, in the order of ``NOTED_FIELDS``."""
