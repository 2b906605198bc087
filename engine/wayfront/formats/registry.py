"""Find the formats of networks: each module or sub-package of this folder that defines a ``Format``.

Opening, saving, file dialogs, help and error texts read what is found here, so that a new format is one new file.
Such a module is imported by every start of the command line: import NumPy and readers inside its functions.

A file's format is recognised by its content: ``.gr`` alone is the suffix of four formats, and a failed download often
has the right name and holds a page of HTML, so a suffix decides only what a network is saved as.
"""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront.formats.streams import COMPRESSIONS, Opening, ProgressCallback, is_binary, read_head
from wayfront.plugins.faults import describe_fault
from wayfront.plugins.loading import FORMATS, Declaration, declared_by_plugins
from wayfront.safe.errors import FormatError, OptionError, PluginError, WayfrontError

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


FORMATS_PACKAGE = "wayfront.formats"
COMPRESSION_SUFFIXES = tuple(suffix for _, suffix, _, _ in COMPRESSIONS)

USUAL = 500


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
    order: int = USUAL

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
    found = {each for module in modules for each in vars(module).values() if isinstance(each, Format)}
    return tuple(sorted(found, key=lambda each: each.order))


def describe_formats(chosen: Sequence[Format]) -> str:
    """Return formats as a sentence lists them: ``DIMACS (.gr), … and wayfront network (.wayfront)``."""
    texts = [f"{declared.label} ({', '.join(declared.suffixes)})" for declared in chosen]
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)


def writable() -> tuple[Format, ...]:
    """Return the formats in which networks can be saved."""
    return tuple(declared for declared in formats() if declared.save is not None)


def later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports the one of that name, and with it NumPy or Numba, only when it is called."""

    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments)

    return call


def files_beside(path: Path, name: str) -> Iterator[Path]:
    """Yield existing files of a name beside another file, in any compression, that of the other file first."""
    packing = split_compression(path)[1]
    for each in sorted(("", *COMPRESSION_SUFFIXES), key=lambda suffix: suffix != packing):
        found = path.with_name(f"{name}{each}")
        if os.path.isfile(found):  # noqa: PTH113 - a long name, made longer, is no file
            yield found


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


_FIRST_TAG = re.compile(
    rb"""
    (?: \s | <\?.*?\?>                # blanks, and instructions
      | <!--.*?-->                     # comments
      | <!(?!--)[^>\[]*+              # document types, with what they declare in brackets
        (?: \[[^\]]*+\][^>]*+ )?+ >
    )*+
    <([A-Za-z_][\w:.-]*+)(?=[\s/>])
    """,
    re.DOTALL | re.VERBOSE,
)


def first_tag(head: bytes) -> bytes:
    """Return the name of the first tag in the beginning of a text, ``b""`` where that is no XML or shows no tag.

    Declarations, comments and processing instructions before it are passed over, each as far as its end is shown.

        >>> first_tag(b"<?xml version='1.0'?> <!-- a map --> <osm version='0.6'>")
        b'osm'
    """
    found = _FIRST_TAG.match(head)
    return found[1] if found else b""


_BINARY = (
    (rb"\x28\xb5\x2f\xfd", "it is compressed with zstd: decompress it first"),
    (rb"PK\x03\x04.{26}header\.npy", "it is a recorded trace, which is opened together with its network"),
    (rb"PK\x03\x04", "it is a zip archive: unpack it and open the file inside"),
    (rb"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it and open the file inside"),
    (rb"Rar!", "it is a RAR archive: unpack it and open the file inside"),
    (rb"[\x01\x02]\0{7}[\0\x04\x08]\0{7}", "it looks like a Galois binary graph"),
)
_TEXT = (
    (rb"<!doctype html|<html", "it is a web page, perhaps a failed download: get the file again"),
    (rb"<", "it is XML of some kind"),
    (rb"[{\[]", "it is JSON"),
    (rb"%%matrixmarket", "it is a Matrix Market file; this version does not open it yet"),
    (rb"[%#0-9]", "it looks like a METIS graph or a plain list of arcs"),
)
"""Beginnings of other files, the more particular first, and what they are."""


def recognise(path: Path) -> Format:
    """Return the format of a file. Raises ``FormatError`` saying what else the file seems to be."""
    head = read_head(path)
    if not head:
        raise FormatError("the file is empty", path)
    for declared in formats():
        if declared.is_of(head):
            return declared
    raise FormatError(
        f"this is not a road network: {_problem(head)}. wayfront opens {describe_formats(formats())}", path
    )


def _problem(head: bytes) -> str:
    begin = head.lstrip()
    found = (problem for pattern, problem in _BINARY if re.match(pattern, head, re.DOTALL))
    if is_binary(head):
        return next(found, "it is binary data of an unknown kind")
    if first_tag(head) == b"osmChange":
        return next(found, "it is a change to a map, not a map")
    texts = (problem for pattern, problem in _TEXT if re.match(pattern, begin, re.IGNORECASE))
    first = head.split(maxsplit=1)[0][:40].decode("utf-8", "replace")
    return next(found, next(texts, f"it is text that begins with {first!r}"))


def save(
    network: RoadNetwork,
    path: str | Path,
    *,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> list[Path]:
    """Save a network in the format that the path's suffix names, and return the files that were written.

    Each file appears whole or not at all. Raises ``OptionError`` for a suffix that names no format, ``NetworkError``
    for a network that the format cannot hold, ``OpenCancelled`` and ``WriteError``.
    """
    path = Path(path)
    declared = format_to_save(path)
    assert declared.save is not None
    opening = Opening(progress, cancel)
    with declared.explained():
        written = declared.save(network, path, opening)
    opening.finish()
    return written
