"""Find the formats of networks: each module or sub-package of this folder that defines ``FORMAT`` is one.

Opening, saving, file dialogs, help and error texts read what is found here, so that a new format is one new file.
Such a module is imported by every start of the command line: import NumPy and readers inside its functions.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.errors import OptionError, PluginError, WayfrontError
from wayfront.formats.options import OpeningOptions
from wayfront.formats.progress import Opening
from wayfront.formats.streams import COMPRESSIONS
from wayfront.plugins.blame import describe_fault
from wayfront.plugins.declaration import Declaration
from wayfront.plugins.loading import FORMATS, declared_by_plugins

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

FORMATS_PACKAGE = "wayfront.formats"
COMPRESSION_SUFFIXES = tuple(suffix for _, suffix, _, _ in COMPRESSIONS)

LAST = 1_000


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that is ready to be read.

    files    all files whose bytes decide the network, the opened one first
    role     a part of the cache's key beside those bytes: any text that distinguishes two networks of the same files
    read     reads the network
    chosen   the options that apply, as ``RoadNetwork.reading`` holds them, "" where there are none
    surroundings  whether the network has ``Surroundings``, without which a cached one is read again
    """

    files: list[Path]
    role: str
    read: Callable[[], RoadNetwork]
    chosen: str = ""
    surroundings: bool = False


@dataclass(frozen=True, slots=True)
class Format(Declaration):
    """One file format of networks.

    label            its name in dialogs, help and messages
    suffixes         what its files are usually called, the one to save as first; content decides when opening
    recognise        returns whether this is its content, from the first 4 KiB of the decompressed content
    prepare          returns the ``Reading`` of a file; raises ``FormatError``
    save             writes a network and returns the files written, or None where it is not written
    estimate_memory  returns about how many bytes of memory reading takes, or None where that is not known
    options          names of the opening options that it reads, beyond ``force`` and ``cache``
    compressed       whether it is saved as gzip, bzip2 or xz where the file's name ends so
    order            of recognition and of every list; a format that is only guessed comes late
    """

    label: str
    suffixes: tuple[str, ...]
    recognise: Callable[[bytes], bool]
    prepare: Callable[[Path, OpeningOptions, Opening], Reading]
    save: Callable[[RoadNetwork, Path, Opening], list[Path]] | None = None
    estimate_memory: Callable[[Path, Opening], int] | None = None
    options: frozenset[str] = frozenset()
    compressed: bool = False
    order: int = LAST

    @property
    def called(self) -> str:
        """What it is and its name."""
        return f"format {self.label}"

    @property
    def own(self) -> bool:
        """Whether it is the program's own, and no plug-in's."""
        return any(self is each for each in own_formats())

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise ``PluginError``, with file and line, for whatever a plug-in's format raises by mistake."""
        try:
            yield
        except (WayfrontError, OSError, MemoryError):
            raise
        except Exception as problem:
            if self.own:
                raise
            fault = describe_fault(problem)
        else:
            return
        raise PluginError(f"the format {self.label} failed: {fault}")

    def is_of(self, head: bytes) -> bool:
        """Return whether this is its content; a plug-in's that fails at that takes no file."""
        try:
            with self.explained():
                return self.recognise(head)
        except PluginError:
            return False

    @property
    def patterns(self) -> tuple[str, ...]:
        """What its files match, for file dialogs: ``*.gr``, ``*.gr.gz`` …"""
        packings = ("", *COMPRESSION_SUFFIXES) if self.compressed else ("",)
        return tuple(f"*{suffix}{packing}" for suffix in self.suffixes for packing in packings)


def formats() -> tuple[Format, ...]:
    """Return all formats in order: the program's, and those of plug-ins."""
    own = own_formats()
    others = (each for each in declared_by_plugins(Format, FORMATS) if not each.own)
    return tuple(sorted((*own, *others), key=lambda each: each.order))


@functools.cache
def own_formats() -> tuple[Format, ...]:
    """Return the program's own formats in order, importing the modules of ``wayfront.formats`` at the first call."""
    package = importlib.import_module(FORMATS_PACKAGE)
    modules = [importlib.import_module(f"{FORMATS_PACKAGE}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
    found = [module.FORMAT for module in modules if isinstance(getattr(module, "FORMAT", None), Format)]
    return tuple(sorted(found, key=lambda each: each.order))


def describe_formats(chosen: Sequence[Format]) -> str:
    """Return formats as a sentence lists them: ``DIMACS (.gr), … and wayfront network (.wayfront)``."""
    texts = [f"{declared.label} ({', '.join(declared.suffixes)})" for declared in chosen]
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)


def writable() -> tuple[Format, ...]:
    """Return the formats in which networks can be saved."""
    return tuple(declared for declared in formats() if declared.save is not None)


def split_compression(path: Path) -> tuple[str, str]:
    """Return (name without it, suffix) of the compression that a file's name ends with, "" where there is none."""
    packing = path.suffix.lower()
    if packing not in COMPRESSION_SUFFIXES:
        return path.name, ""
    return path.name[: -len(packing)], packing


def format_to_save(path: Path) -> Format:
    """Return the format that the suffix of a file to save names. Raises ``OptionError`` naming those there are."""
    name, packing = split_compression(path)
    for declared in writable():
        named = name.lower().endswith(declared.suffixes) and name.lower() not in declared.suffixes
        if named and (declared.compressed or not packing):
            return declared
    raise OptionError(f"{path.name}: networks are saved as {describe_formats(writable())}")
