"""Make a network and write it to a file: ``python -m wayfront.synthetic city --nodes 40000 --seed 1 --output FILE``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from wayfront.safe.errors import WayfrontError
from wayfront.synthetic import Generator, names


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, or 2 for a parameter or file that is refused."""
    given = _parser().parse_args(arguments)
    generator: Generator = given.generator
    try:
        asked = {option.name: getattr(given, option.name) for option in generator.parameters}
        network = generator.build({name: value for name, value in asked.items() if value is not None})
        from wayfront.formats.native.codec import save_network

        save_network(network, given.output)
    except (WayfrontError, OSError) as problem:
        sys.stderr.write(f"wayfront.synthetic: {problem}\n")
        return 2
    size = given.output.stat().st_size
    sys.stdout.write(
        f"{given.output}: {network.name}, {network.node_count:,} nodes, {network.arc_count:,} arcs, {size:,} bytes\n"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m wayfront.synthetic", description="Make a synthetic network.")
    kinds = parser.add_subparsers(required=True, metavar="KIND")
    for generator in names():
        kind = kinds.add_parser(generator.name, help=generator.summary, description=generator.summary)
        kind.set_defaults(generator=generator)
        for option in generator.parameters:
            flag = "--" + option.name.replace("_", "-")
            kind.add_argument(flag, dest=option.name, help=f"{option.help} Default: {option.default}.")
        kind.add_argument("--output", type=Path, required=True, help="The .wayfront file to write.")
    return parser


if __name__ == "__main__":
    sys.exit(main())
