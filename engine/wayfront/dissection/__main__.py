"""``python -m wayfront.dissection NETWORK -o FILE``: cut a network, for a machine that cannot do it itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.store import save_cut
from wayfront.opening import open_network
from wayfront.safe.errors import WayfrontError
from wayfront.safe.files import check_writable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, or 2 for a network or file that is refused."""
    given = _parser().parse_args(arguments)
    try:
        check_writable(given.output)
        network = open_network(given.network)
        cells = dissect(network, threads=given.threads)
        save_cut(given.output, cells)
    except WayfrontError as problem:
        sys.stderr.write(f"wayfront.dissection: {problem}\n")
        return 2
    largest = int(cells.front_sizes.max())
    sys.stdout.write(
        f"{given.output}: {cells.node_count:,} nodes in {cells.cell_count:,} cells, largest front {largest:,}, "
        f"cut by {cells.method} in {cells.cut_ms / 1e3:.1f} s\n"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wayfront.dissection", description="Cut a network into cells and write the cut to a file."
    )
    parser.add_argument("network", help="a network file, or a name such as dimacs:NY or synthetic:grid?rows=9")
    parser.add_argument("--threads", type=int, default=None, help="cuts made at a time; all cores by default")
    parser.add_argument("--output", "-o", required=True, help="the file to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
