"""Whatever a trace holds, it is refused in a sentence, or all that the window shows of it can be shown."""

from __future__ import annotations

from pathlib import Path
from random import Random

from mutations_traces import mutate_trace, use_trace
from wayfront import open_network, save_trace, search
from wayfront.safe.errors import MemoryShortError, TraceError

FILES = 150


def test_mutated_traces_are_refused_or_shown(tmp_path: Path, data: Path) -> None:
    network = open_network(data / "tiny.osm", cache=False)
    path = tmp_path / "run.wftrace"
    save_trace(search(network, 0, "near-far", "cpu", runs=2, trace=True), path)
    content, taken = path.read_bytes(), 0
    use_trace(path, network)
    for seed in range(FILES):
        path.write_bytes(mutate_trace(content, Random(seed)))
        try:
            use_trace(path, network)
        except (TraceError, MemoryShortError) as problem:
            assert "\n" not in str(problem), seed
        else:
            taken += 1
    assert 0 < taken < FILES / 3, "most mutations are refused, and some change what no check can know"
