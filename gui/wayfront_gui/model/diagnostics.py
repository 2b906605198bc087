"""What this program runs on, as people send it with a report: versions, processor, card, licences. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata, requires
from typing import NamedTuple

from wayfront.devices import Ability, DeviceInfo
from wayfront.timing.machine import machine_facts
from wayfront.version import __version__
from wayfront_gui.translation import marked

_DISTRIBUTION = "wayfront-engine"
LONGEST_LICENCE = 60
"""A longer text is a licence, not the name of one."""


class Licence(NamedTuple):
    """A library that the program uses, and the name of its licence."""

    library: str
    version: str
    name: str


def facts(devices: Sequence[DeviceInfo], driver: str, window: Mapping[str, str]) -> dict[str, str]:
    """Return captions and values, of which ``window`` are those that only Qt knows; ``driver`` is NVIDIA's version."""
    machine = machine_facts()
    versions = {"Python": machine["python"], **window}
    versions |= {"NumPy": machine["numpy"], "Numba": f"{machine['numba']}, numba-cuda {machine['numba-cuda']}"}
    return {
        marked("Processor"): f"{machine['processor']}, {machine['cores']} cores",
        marked("Card"): _cards(devices, driver),
        marked("System"): machine["system"],
        **versions,
    }


def _cards(devices: Sequence[DeviceInfo], driver: str) -> str:
    cards = [info for info in devices if Ability.GRID_BARRIER in info.abilities and not info.exclusive]
    here = [info.name for info in cards if info.available]
    if here:
        return f"{', '.join(here)}; driver {driver}"
    return next((info.why_not for info in cards if info.why_not), marked("none"))


def report(found: Mapping[str, str], log: Iterable[str] = ()) -> str:
    """Return the facts as plain text, with the last lines of the log below."""
    lines = [f"wayfront {__version__}", *(f"{caption}: {value}" for caption, value in found.items())]
    logged = list(log)
    return "\n".join([*lines, "", *logged] if logged else lines) + "\n"


def licences() -> list[Licence]:
    """Return the libraries that the program needs or was installed with, those that are here, by name."""
    try:
        wanted = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:  # bare sources
        return []
    names = {re.split(r"[^A-Za-z0-9_.-]", line, maxsplit=1)[0] for line in wanted}
    found = (_licence(name) for name in sorted(names - {_DISTRIBUTION}, key=str.lower))
    return [licence for licence in found if licence is not None]


def _licence(library: str) -> Licence | None:
    try:
        about = metadata(library)
    except PackageNotFoundError:
        return None
    stated = [text for field in ("License-Expression", "License") for text in about.get_all(field) or []]
    stated += [line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or [] if line.startswith("License")]
    name = next((text for text in stated if text and len(text) <= LONGEST_LICENCE), "see its own files")
    return Licence(library, about["Version"], name)
