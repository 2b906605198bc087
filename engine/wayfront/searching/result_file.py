"""Save a result with its trace, and load it again, so that a run on a GPU server can be replayed on a laptop.

The file (``trace.file``) is passed on, so it neither says where its sender keeps files nor decides which file its
receiver opens. It names its network by content key and by a bare name: that of a file without its folder, or the call
of a generator. A file of that name is looked for where its user keeps networks, and only one of the same content is
taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

import numpy as np

import wayfront.searching.routes  # noqa: F401 - registers the proof of routes
from wayfront.network.arcs import checked_arcs
from wayfront.network.closed_turns import without_turns
from wayfront.network.conventions import EXAMPLE, SYNTHETIC, is_made
from wayfront.network.copies import begin_of, counted, end_of
from wayfront.network.costed import with_turn_costs
from wayfront.network.road_network import RoadNetwork
from wayfront.network.turn_changes import TurnChange
from wayfront.network.turn_costs import TurnCosts
from wayfront.results.nearest import Nearest
from wayfront.results.pairs import PairsResult, PairsSummary, figure_fields
from wayfront.results.result import BaseResult, Result, RouteResult, SearchKind, Timing
from wayfront.safe.errors import (
    CertificateError,
    FormatError,
    MemoryShortError,
    NetworkError,
    NetworkNotHereError,
    OptionError,
    SchemaError,
    TraceError,
)
from wayfront.safe.options import AUTO, OptionValue
from wayfront.safe.schema import ArrayField, HeaderField, check_header
from wayfront.safe.text import printable
from wayfront.searching.all_pairs.proof import spread_places
from wayfront.searching.certificate import certify
from wayfront.searching.distances import in_fewest_bits
from wayfront.searching.registry import Algorithm, find_algorithm
from wayfront.sources import cache, store
from wayfront.synthetic.textbooks import from_name
from wayfront.trace.file import read_header, read_trace, write_trace
from wayfront.trace.schema import EARLIER_PHASES, NO_PATH, NODES, Trace
from wayfront.version import __version__

ResultType = TypeVar("ResultType", bound=BaseResult)
TreeType = TypeVar("TreeType", bound=Result)

TREE_FIELDS = (
    ArrayField(name="distances", dtypes=(np.int32, np.int64), counts=NODES, lowest=NO_PATH),
    ArrayField(name="parents", dtypes=(np.int32,), counts=NODES, lowest=-1, below=NODES),
)
"""The arrays of a result of one tree, as the file holds them."""

ROUTE_FIELDS = (
    *TREE_FIELDS,
    ArrayField(name="settled_nodes", dtypes=(np.uint8,), counts=NODES, below=2),
    ArrayField(name="from_target", dtypes=(np.uint8,), counts=NODES, below=2),
    ArrayField(name="path", dtypes=(np.int32,), counts="nodes of the route", below=NODES),
)
"""The arrays of a result of a route."""

PAIRS_FIELDS = figure_fields(NODES, "sources")
"""The arrays of a result of all pairs: the figures of every source. Rows are kept in files of their own."""

_MOST = 2**31 - 1
_LONGEST_MS = 1e12
MOST_CLOSURES = 50_000
"""Closed arcs that a file can name."""
MOST_OF_A_CHANGE = 150_000
"""Ids that a file can name of the turns that were closed in its network, or of its signals."""
_MOST_CHANGES = 100
_ARC = HeaderField("arc", (int,), lowest=0)
_IDS = HeaderField("ids", (int,), lowest=-(2**63), highest=2**63 - 1)
_TEXT = HeaderField("text", (str,), longest=1000)
_MILLISECONDS = HeaderField("milliseconds", (float,), lowest=0, highest=_LONGEST_MS)
_NETWORK = HeaderField(
    "network",
    (dict,),
    fields=(
        HeaderField("name", (str,), longest=1000, file_name=True),
        HeaderField("content_key", (str,), longest=100),
        HeaderField("origin_name", (str,), optional=True, file_name=True),
        # The whole path of their writer, in older files.
        HeaderField("origin", (str,), optional=True, default="", file_name=True),
        HeaderField("reading", (str,), optional=True, longest=1000),
        HeaderField(
            "turn_changes",
            (list,),
            optional=True,
            default=(),
            longest=_MOST_CHANGES,
            items=HeaderField(
                "change",
                (dict,),
                fields=(
                    HeaderField("of", (str,), longest=100),
                    HeaderField("closed", (list,), longest=MOST_OF_A_CHANGE, items=_IDS),
                    HeaderField("costs", (str,), longest=1000),
                    HeaderField("signals", (list,), longest=MOST_OF_A_CHANGE, items=_IDS),
                ),
            ),
        ),
        HeaderField("nodes", (int,), lowest=0, highest=_MOST),
        HeaderField("arcs", (int,), lowest=0),
        HeaderField("metric", (str,), longest=1000),
    ),
)
HEADER_FIELDS = (
    HeaderField("kind", (str,), longest=100),
    _NETWORK,
    HeaderField("algorithm", (str,), longest=100),
    HeaderField("options", (dict,), longest=100, items=HeaderField("value", (int, float, bool, str), longest=1000)),
    HeaderField("device", (str,), longest=100),
    HeaderField("device_name", (str,), longest=1000),
    HeaderField("steps", (int,), lowest=0),
    HeaderField("relaxations", (int, NoneType), lowest=0),
    HeaderField("note", (str,), optional=True, default="", longest=1000),
    HeaderField("closures", (list,), optional=True, default=(), longest=MOST_CLOSURES, items=_ARC),
    HeaderField("reverse", (bool,), optional=True, default=False),
    HeaderField(
        "timing",
        (dict,),
        fields=(
            HeaderField("prepare_ms", (dict,), optional=True, default={}, longest=10, items=_MILLISECONDS),
            HeaderField("runs_ms", (list,), longest=1 << 20, items=_MILLISECONDS),
            HeaderField("transfer_ms", (float,), lowest=0, highest=_LONGEST_MS),
            HeaderField("tree_ms", (float,), lowest=0, highest=_LONGEST_MS),
            HeaderField("traced_ms", (float, NoneType), lowest=0, highest=_LONGEST_MS),
            HeaderField("machine", (dict,), longest=100, items=_TEXT),
        ),
    ),
)
"""The header of any result. Older files also say whether it was verified, which is not read."""
_TREE_HEADER = HeaderField("source", (int,))
_ROUTE_HEADER = (_TREE_HEADER, HeaderField("target", (int,)), HeaderField("distance", (int,), lowest=-1))
_PAIRS_HEADER = (
    HeaderField("found_before", (int,), lowest=0),
    HeaderField("device_bytes", (int, NoneType), optional=True, default=None, lowest=0),
)


def save_trace(result: Result | PairsResult, path: str | Path) -> None:
    """Write a result and its trace; an older file of that name stays whole until the new one is complete.

    Raises ``TraceError`` if the result has no trace, is of several sources or known to be wrong, and ``WriteError``.

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> result = wayfront.search(network, 0, "dijkstra", "cpu", trace=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wayfront.save_trace(result, f"{folder}/ring.trace")
        ...     len(wayfront.load_trace(f"{folder}/ring.trace", network).trace)
        6
    """
    if result.trace is None:
        raise TraceError("this result was computed without a trace; search again with a trace to save one")
    if isinstance(result, Nearest):
        raise TraceError("a trace of several sources is kept in no file: save one from a single source")
    if result.verified is False:
        raise TraceError("this result is wrong, and no file of it would open again; choose another option and search")
    if len(result.closures) > MOST_CLOSURES:
        raise TraceError(
            f"a trace names {MOST_CLOSURES:,} closed arcs at most, not {len(result.closures):,}: open some"
        )
    network, timing = result.network, result.timing
    changes = [asdict(change) for change in network.turn_changes]
    if len(changes) > _MOST_CHANGES or any(
        len(each[ids]) > MOST_OF_A_CHANGE for each in changes for ids in ("closed", "signals")
    ):
        raise TraceError(
            f"a trace names {MOST_OF_A_CHANGE // 3:,} closed turns and {MOST_OF_A_CHANGE:,} signals at most, in "
            f"{_MOST_CHANGES} changes: save the network as .wayfront, and search in that"
        )
    header = {
        "wayfront": __version__,
        "kind": result.kind.value,
        "network": {
            "name": network.name,
            "content_key": network.content_key,
            "origin_name": bare_origin(network.origin),
            "reading": network.reading,
            "turn_changes": changes,
            "nodes": network.node_count,
            "arcs": network.arc_count,
            "metric": result.metric.name,
        },
        "algorithm": result.algorithm,
        "options": dict(result.options),
        "device": result.device,
        "device_name": result.device_name,
        "steps": result.steps,
        "relaxations": result.relaxations,
        "note": result.note,
        "closures": result.closures.tolist(),
        "reverse": result.reverse,
        "timing": {
            "runs_ms": timing.runs_ms,
            "transfer_ms": timing.transfer_ms,
            "tree_ms": timing.tree_ms,
            "traced_ms": timing.traced_ms,
            "machine": dict(timing.machine),
            "prepare_ms": dict(timing.prepare_ms),
        },
    }
    if isinstance(result, PairsResult):
        arrays = {"sources": result.sources} | {f.name: getattr(result.figures, f.name) for f in PAIRS_FIELDS[1:]}
        header |= {"found_before": result.found_before, "device_bytes": result.device_bytes}
    else:
        arrays = {field.name: getattr(result, field.name) for field in TREE_FIELDS}
        header["source"] = int(network.node_ids[result.source])
    if isinstance(result, RouteResult):
        flags = {"settled_nodes": result.settled, "from_target": result.from_target}
        arrays |= {name: flag.astype(np.uint8) for name, flag in flags.items()} | {"path": result.path}
        header |= {"target": int(network.node_ids[result.target]), "distance": result.distance}
    write_trace(path, header, result.trace, arrays)


def load_trace(path: str | Path, network: RoadNetwork) -> Result:
    """Return the result and trace of a file with one tree or route, over the network it was recorded on.

    Nothing in the file is believed: header and arrays are checked against their declarations and each other, and the
    result is proved right (``certificate``), whatever the file says of that. Raises ``TraceError`` where any of this
    fails or the search is another network's or of another kind, and ``MemoryShortError``.

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wayfront.save_trace(wayfront.search(network, 0, "dijkstra", "cpu", trace=True), f"{folder}/ring.trace")
        ...     wayfront.load_trace(f"{folder}/ring.trace", network).verified
        True
    """
    return _load_one(path, network, _kind_of(path))


def _load_one(path: str | Path, network: RoadNetwork, kind: str) -> Result:
    """Return the result of a file that says it is of ``kind``, a route or else one tree."""
    if kind == RouteResult.kind:
        return _load(Path(path), network, RouteResult.kind, ROUTE_FIELDS, _route_result)
    return _load(Path(path), network, Result.kind, TREE_FIELDS, _tree_result)


def load_pairs_trace(path: str | Path, network: RoadNetwork) -> PairsResult:
    """Return the result and trace of a file with all pairs, over the network it was recorded on.

    As ``load_trace``, but of a few sources alone are the figures proved right, by searching from them again; their
    number is ``compared``. A matrix is no part of the file.

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", trace=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wayfront.save_trace(result, f"{folder}/ring.trace")
        ...     wayfront.load_pairs_trace(f"{folder}/ring.trace", network).diameter == result.diameter
        True
    """
    return _load(Path(path), network, PairsResult.kind, PAIRS_FIELDS, _pairs_result)


def load_recorded(path: str | Path, network: RoadNetwork) -> Result | PairsResult:
    """Return what a file holds, as ``load_trace`` or ``load_pairs_trace`` does."""
    kind = _kind_of(path)
    return load_pairs_trace(path, network) if kind == PairsResult.kind else _load_one(path, network, kind)


def _kind_of(path: str | Path) -> str:
    """Return the kind of search that a file says it holds. Raises ``TraceError``."""
    try:
        return str(check_header(read_header(path), HEADER_FIELDS[:1])["kind"])
    except SchemaError as problem:
        raise TraceError(f"{path}: damaged: {problem}") from None


def _load(
    path: Path,
    network: RoadNetwork,
    kind: SearchKind,
    fields: tuple[ArrayField, ...],
    make: Callable[[dict[str, Any], dict[str, Any], dict[str, Any], Trace], ResultType],
) -> ResultType:
    """Return the result of a file with a search of a kind, made by ``make`` of what was checked."""

    def check(header: dict[str, Any]) -> None:
        recorded = _network_entry(header)
        if recorded.content_key != network.content_key:
            raise TraceError(
                f"{path} was recorded on {recorded.describe()}, and {network.name} is not that network; "
                "open that one first"
            )
        if (found := check_header(header, HEADER_FIELDS[:1])["kind"]) != kind:
            reader = _READERS.get(found)
            instead = "which this version cannot show: update it" if reader is None else f"wayfront.{reader} reads it"
            raise TraceError(f"{path} is of a search that finds {found!r}, {instead}")

    header, trace, arrays = read_trace(path, network.node_count, fields, check)
    if (distances := arrays.get("distances")) is not None:
        arrays["distances"] = in_fewest_bits(distances)  # older files mark what was not reached by the largest number
        arrays["distances"].flags.writeable = False
    try:
        return make(_base(check_header(header, HEADER_FIELDS), network, trace), header, arrays, trace)
    except (SchemaError, NetworkError, OptionError, CertificateError) as problem:
        raise TraceError(f"{path}: damaged: {problem}") from None


_READERS: dict[str, str] = {
    Result.kind: "load_trace",
    RouteResult.kind: "load_trace",
    PairsResult.kind: "load_pairs_trace",
}


def read_network_entry(path: str | Path) -> RecordedNetwork:
    """Return what a trace says of its network. Raises ``TraceError`` where it is damaged or no trace."""
    try:
        return _network_entry(read_header(path))
    except SchemaError as problem:
        raise TraceError(f"{path}: damaged: {problem}") from None


def _network_entry(header: dict[str, Any]) -> RecordedNetwork:
    """Return what a header says of its network. Raises ``SchemaError``."""
    entry = check_header(header, (_NETWORK,))["network"]
    origin = entry.pop("origin")
    name = entry.pop("origin_name")
    if any(len(each["closed"]) % 3 for each in entry["turn_changes"]):
        raise SchemaError("its closed turns are not of three nodes each")
    changes = tuple(
        TurnChange(each["of"], tuple(each["closed"]), each["costs"], tuple(each["signals"]))
        for each in entry.pop("turn_changes")
    )
    return RecordedNetwork(**entry, origin_name=bare_origin(origin if name is None else name), turn_changes=changes)


def _base(header: dict[str, Any], network: RoadNetwork, trace: Trace) -> dict[str, Any]:
    """Return the fields of ``BaseResult`` of a checked header. Raises ``SchemaError``, ``NetworkError`` and
    ``OptionError``.
    """
    declared = find_algorithm(header["algorithm"])
    if declared.kind != header["kind"]:
        raise SchemaError(f"{declared.name} finds {declared.kind}, not {header['kind']}")
    relaxations = header["relaxations"]
    if header["steps"] != len(trace) or (relaxations or 0) != int(trace.relaxations.sum()):
        raise SchemaError("its steps or relaxations are not those of its header")
    return {
        "network": network,
        "metric": network.metric(header["network"]["metric"]),
        "algorithm": declared.name,
        "options": _with_auto(declared, header["options"]),
        "device": printable(header["device"]),
        "device_name": printable(header["device_name"]),
        "steps": header["steps"],
        "relaxations": relaxations,
        "timing": Timing(**{**header["timing"], "runs_ms": tuple(header["timing"]["runs_ms"])}),
        "trace": replace(trace, label_names=tuple(EARLIER_PHASES.get(name, name) for name in trace.label_names))
        if declared.name.startswith("dissection")
        else trace,
        "note": printable(header["note"]),
        "closures": checked_arcs(network, header["closures"]),
        "reverse": header["reverse"],
    }


def _tree_result(base: dict[str, Any], header: dict[str, Any], arrays: dict[str, Any], trace: Trace) -> Result:
    """Return one tree, proved right. Raises ``SchemaError``, ``NetworkError`` and ``CertificateError``."""
    source = check_header(header, (_TREE_HEADER,))["source"]
    return _proved(Result(**base, source=_begin(base, source), **arrays), trace)


def _begin(base: dict[str, Any], named: int) -> int:
    """Return the node that a search of a node, the file's id, began at."""
    network: RoadNetwork = base["network"]
    return begin_of(network, network.node(named), reverse=base["reverse"])


def _route_result(base: dict[str, Any], header: dict[str, Any], arrays: dict[str, Any], trace: Trace) -> RouteResult:
    """Return a route, proved right. Raises as above."""
    ends, network = check_header(header, _ROUTE_HEADER), base["network"]
    source, target = _begin(base, ends["source"]), network.node(ends["target"])
    target = end_of(network, target, reverse=base["reverse"])
    settled, from_target = (arrays.pop(name).astype(np.bool_) for name in ("settled_nodes", "from_target"))
    result = RouteResult(
        **base,
        **arrays,
        source=source,
        target=target,
        distance=ends["distance"],
        settled=settled,
        from_target=from_target,
    )
    return _proved(result, trace)


def _proved(result: TreeType, trace: Trace) -> TreeType:
    """Return a result whose trace fits it, proved right."""
    reached, first, last = result.reached, trace.first_reached, trace.last_improved
    if ((first >= 0) != reached).any() or ((last >= 0) != reached).any() or (last < first).any():
        raise SchemaError("the steps that reached nodes are not those of the nodes with a distance")
    if first[result.source] != 0:
        raise SchemaError("its first step did not begin at the source")
    certify(result)
    _check_labels(result, trace)
    return replace(result, verified=True)


def _check_labels(result: Result, trace: Trace) -> None:
    """Raise ``SchemaError`` unless the distances after each step lead from the source to those of the result."""
    labels = trace.tentative
    if labels is None:
        return
    reached, begin = labels != NO_PATH, np.full(len(result.parents), NO_PATH)
    begin[result.source] = 0
    if (labels[0] != begin).any() or (labels[-1] != result.distances).any():
        raise SchemaError("tentative: its distances do not lead from the source to those of the result")
    others = np.arange(len(begin)) != result.source
    if (others & result.reached & (reached[1:].argmax(axis=0) != trace.first_reached)).any():
        raise SchemaError("tentative: its distances do not come in the steps that reached the nodes")


def _pairs_result(base: dict[str, Any], header: dict[str, Any], arrays: dict[str, Any], trace: Trace) -> PairsResult:
    """Return all pairs, of which some are searched again. Raises ``SchemaError`` and ``CertificateError``."""
    sources = arrays.pop("sources")
    result = PairsResult(
        **base,
        sources=sources,
        figures=PairsSummary(**arrays, done=np.ones(len(sources), np.bool_)),
        **check_header(header, _PAIRS_HEADER),
    )
    if trace.matrices is not None:
        rows = trace.matrices[-1].reshape(-1, len(trace.first_reached))[sources].astype(np.int64)
        known = (rows != NO_PATH) & counted(result.searched[0])
        if (known.sum(1) != result.figures.reached).any() or (rows.sum(1, where=known) != result.figures.total).any():
            raise SchemaError("matrices: the last is not that of its figures")
    finished = trace.first_reached >= 0
    if not len(sources) or finished.sum() != len(sources) - result.found_before:
        raise SchemaError("the steps that finished sources are not those of its sources")
    if finished.sum() != finished[sources].sum() or (trace.first_reached != trace.last_improved).any():
        raise SchemaError("its steps finished nodes that are no sources")
    certify(result)
    return replace(result, compared=len(spread_places(len(sources))))


def _with_auto(algorithm: Algorithm, values: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Return option values in their types, with ``AUTO`` for numbers out of bounds, which stood for it in older files.

    Values of options that this version does not have are kept. Raises ``OptionError`` for any other value.
    """
    current = dict(values)
    for option in algorithm.options:
        if option.name not in current:
            continue
        try:
            current[option.name] = option.parse(current[option.name])
        except OptionError:
            if not option.automatic:
                raise
            current[option.name] = AUTO
    return current


_LONGEST_NAME = 255
"""Bytes that file systems allow in a name."""


@dataclass(frozen=True, slots=True)
class RecordedNetwork:
    """What a trace says of its network; none of it is known to be true but ``content_key``, once a network has it.

    origin_name  name of the file it was read from, without folders, or the call of its generator; "" for neither
    reading      how OpenStreetMap data were read, "" for other networks, None where an older trace does not say it
    metric       what the search minimised
    turn_changes how its turns were changed after it was read from there
    """

    name: str
    content_key: str
    origin_name: str
    reading: str | None
    nodes: int
    arcs: int
    metric: str
    turn_changes: tuple[TurnChange, ...] = ()

    @property
    def can_be_made(self) -> bool:
        """Whether a generator makes the network."""
        return self.origin_name.startswith(SYNTHETIC)

    def is_made_from(self, network: RoadNetwork) -> bool:
        """Return whether it is a network, or one that ``changed`` makes it from."""
        before = [change.of for change in self.turn_changes[:1]]
        return network.content_key in (self.content_key, *before)

    def changed(self, network: RoadNetwork) -> RoadNetwork:
        """Return a network with its turns closed, or costing, as they were; one that it is not made from as it is.

        Raises ``TraceError`` for changes that cannot be made, and ``MemoryShortError``.
        """
        if not self.turn_changes or network.content_key != self.turn_changes[0].of:
            return network
        try:
            for change in self.turn_changes:
                if change.closed:
                    network = without_turns(network, np.array(change.closed).reshape(-1, 3))
                else:
                    network = with_turn_costs(network, TurnCosts.described(change.costs), change.signals)
        except MemoryShortError:
            raise
        except (NetworkError, OptionError) as problem:
            raise TraceError(f"the trace names turns that its network does not have: {problem}") from problem
        return network

    def describe(self) -> str:
        """Return name and size in words."""
        return f"{self.name} ({self.nodes:,} nodes, {self.arcs:,} arcs)"


def bare_origin(origin: str) -> str:
    """Return what a trace may say of where a network came from, and what of a trace's word is looked for.

    That is the call of a generator, the name of an example, or a file's name without its folders, on any system; ""
    where it is no name.
    """
    if is_made(origin):
        return origin
    name = re.split(r"[/\\]", origin)[-1]
    plain = name.isprintable() and ":" not in name and name.strip(". ") != ""
    return name if plain and len(name.encode()) <= _LONGEST_NAME else ""


def find_network(
    trace: str | Path,
    recorded: RecordedNetwork,
    open_file: Callable[[Path], RoadNetwork],
    places: Sequence[str | Path] = (),
) -> RoadNetwork:
    """Return the network of a trace, if it is on this machine.

    It, or the one in which its turns were closed or given costs, is looked for in the cache by its content, among the
    examples, and then by its file's name beside the trace, among the ``places`` (files that may be opened), and among
    the downloads. ``open_file`` opens a candidate; one of another content is left. Nothing is generated or downloaded,
    and no folder that the trace names is looked at. Raises ``NetworkNotHereError`` where none is found.
    """
    for network in _like(trace, recorded, open_file, places):
        changed = recorded.changed(network)
        if changed.content_key == recorded.content_key:
            return changed
    raise NetworkNotHereError(trace, recorded.describe(), recorded.origin_name, makeable=recorded.can_be_made)


def _like(
    trace: str | Path,
    recorded: RecordedNetwork,
    open_file: Callable[[Path], RoadNetwork],
    places: Sequence[str | Path],
) -> Iterator[RoadNetwork]:
    """Yield the networks on this machine that may be that of a trace, or that before its turns were changed."""
    for key in (recorded.content_key, *(change.of for change in recorded.turn_changes[:1])):
        cached = cache.find(key)
        if cached is not None:
            yield cached
    if recorded.origin_name.startswith(EXAMPLE):
        with suppress(OptionError):  # an example of another version
            yield from_name(recorded.origin_name)
    for path in _candidates(Path(trace), recorded.origin_name, places):
        with suppress(FormatError):  # another file of that name, which is no network
            yield open_file(path)


def _candidates(trace: Path, name: str, places: Sequence[str | Path]) -> Iterator[Path]:
    """Return the files of that name in the places that may be looked at, each once."""
    if not name or is_made(name):
        return
    folders = (trace.absolute().parent, *(store.folder(scheme) for scheme in store.FOLDERS))
    paths = [folder / name for folder in folders]
    paths[1:1] = [Path(place).absolute() for place in places if Path(place).name == name]
    for path in dict.fromkeys(paths):
        with suppress(OSError):
            if path.is_file():
                yield path
