"""What writers of text formats share: compression by suffix, and the comment that names the data's origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from wayfront.files import write_whole
from wayfront.formats.streams import COMPRESSIONS
from wayfront.plain_text import printable

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

ROWS = 1 << 16
"""Lines that are written at once."""

_OPENERS: dict[str, Callable[..., Any]] = {suffix: opener for _, suffix, _, opener in COMPRESSIONS}


@contextmanager
def write_compressed(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that appears whole or not at all, compressed as its suffix says. Raises ``WriteError``."""
    opener = _OPENERS.get(path.suffix.lower())
    with write_whole(path) as plain:
        if opener is None:
            yield plain
        else:
            with opener(plain, "wb") as packed:
                yield packed


def origin_lines(network: RoadNetwork) -> list[str]:
    """Return comment lines of plain text: the network's name, its attribution and data date."""
    lines = [f"{network.name}, saved by wayfront"]
    lines += [f"{network.attribution} {network.data_date}".strip()] if network.attribution else []
    return [printable(" ".join(line.split())) for line in lines]
