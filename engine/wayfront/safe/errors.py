"""The errors that this library raises, each a subclass of the builtin it refines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wayfront.safe.text import printable, size_text


class WayfrontError(Exception):
    """Base of all errors of the engine: the text says what is wrong, where, and what to do next."""


class FormatError(WayfrontError, ValueError):
    """A file is not a valid road network.

    ``path`` and ``line`` (1-based, None without a line) are part of the text.
    """

    def __init__(self, problem: str, path: str | Path | None = None, line: int | None = None) -> None:
        problem = printable(problem)  # readers quote what stands in a stranger's file
        self.problem = problem
        self.path: Path | None = None if path is None else Path(path)
        self.line = line
        where = "" if path is None else f"{path}:{line}: " if line is not None else f"{path}: "
        super().__init__(f"{where}{problem}")


class SchemaError(WayfrontError, ValueError):
    """A file of ours does not hold what its schema declares; the text has no path, which the reader puts before it.

    ``line`` is 1-based, None where no line is to blame or the file has none; ``keys`` lead to the value that is.
    """

    def __init__(self, problem: str, line: int | None = None, keys: Sequence[str | int] = ()) -> None:
        self.line = line
        self.keys: tuple[str | int, ...] = tuple(keys)
        super().__init__(problem)


class NetworkError(WayfrontError, ValueError):
    """Arrays do not form a road network, or a network lacks a node or metric that was asked for."""


class NotInNetworkError(NetworkError, LookupError):
    """A network has no node, road or metric of the name that was asked for; the text says which there are."""


class MemoryShortError(NetworkError):
    """Reading or making something takes more memory than is free.

    ``needed`` and ``free`` are bytes, ``what`` is the file or the name of the network, and ``can_be_forced`` says
    whether it can be opened all the same. ``instead`` is what to do, where that is known better than usual.
    """

    def __init__(
        self, needed: int, free: int, what: str | Path, *, can_be_forced: bool = False, instead: str | None = None
    ) -> None:
        self.needed = needed
        self.free = free
        self.what: str = str(what)
        self.can_be_forced = can_be_forced
        if instead is None:
            smaller = "take a smaller one, or open it all the same" if can_be_forced else "or take a smaller one"
            instead = f"close other programs, {smaller}"
        super().__init__(
            f"{what}: it takes about {size_text(needed)} of memory, and {size_text(free)} are free: {instead}"
        )


class OptionError(WayfrontError, ValueError):
    """An algorithm, option or value that does not exist or is out of bounds."""


class MissingPackageError(OptionError, ImportError):
    """What was asked for needs a package that is not installed; the text says what installs it."""


class UnusedOptionError(OptionError):
    """Options were given that have no effect on a network: their ``names``, its ``path`` and what it is (``label``)."""

    def __init__(self, names: Sequence[str], path: object, label: str) -> None:
        self.names: tuple[str, ...] = tuple(names)
        self.path = path
        self.label = label
        verb = "have" if len(self.names) > 1 else "has"
        super().__init__(f"{path}: {' and '.join(self.names)} {verb} no effect on this kind of network ({label})")


class DeviceError(WayfrontError, RuntimeError):
    """A device is missing, or cannot run the search."""


class UnknownDeviceError(DeviceError, ValueError):
    """There is no device of that name."""


class DeviceMemoryError(DeviceError):
    """A search takes more memory than its device has free; a smaller one can run."""


class KernelError(DeviceError):
    """A kernel cannot be compiled or launched; the device itself can still be used."""


class DeviceLostError(DeviceError):
    """A device is lost, or a kernel spoiled it: nothing runs on it before the program is started again.

    ``device`` is its id.
    """

    def __init__(self, problem: str, device: str) -> None:
        self.device = device
        super().__init__(problem)


class TraceError(WayfrontError, ValueError):
    """A trace file is damaged, or belongs to another network."""


class NetworkNotHereError(TraceError):
    """The network that a trace was recorded on is not found on this machine.

    ``trace`` is the file, ``network`` says name and size of its network, and ``origin_name`` where that came from;
    ``makeable`` says that this is the call of a generator, which runs only for a person who was asked.
    """

    def __init__(self, trace: str | Path, network: str, origin_name: str, *, makeable: bool) -> None:
        self.trace: Path = Path(trace)
        self.network = network
        self.origin_name = origin_name
        self.makeable = makeable
        what = "made by" if makeable else "read from"
        origin = f", {what} {origin_name}" if origin_name else ""
        instead = "open that first, then the trace, or name it with --network"
        if makeable:
            instead = f"if you want it to be made, open it first, or add --network '{origin_name}'"
        super().__init__(
            f"{trace} was recorded on {network}{origin}, and no network of that content is here: {instead}"
        )


class DownloadError(WayfrontError, OSError):
    """A download failed or could not be stored."""


class IrregularFileError(WayfrontError, OSError):
    """What is to be read is no regular file but a folder, pipe, socket or device; ``reason`` is without the path."""

    def __init__(self, path: str | Path, reason: str) -> None:
        self.path: Path = Path(path)
        self.reason = reason
        super().__init__(f"{path}: {reason}")


class WriteError(WayfrontError, OSError):
    """A file cannot be written: ``path`` is the file and ``reason`` what the system said; both are part of the text."""

    def __init__(self, path: str | Path, reason: str) -> None:
        self.path: Path = Path(path)
        self.reason = reason
        super().__init__(f"{path} cannot be written: {reason}")


class PlaceError(WayfrontError, LookupError):
    """A place is not found, has no roads, or is too large to ask a server for."""


class SearchCancelled(WayfrontError):  # noqa: N818 - an outcome that a person chose, not a failure
    """The caller cancelled the search, which stopped between two steps."""


class OpenCancelled(WayfrontError):  # noqa: N818 - an outcome that a person chose, not a failure
    """The caller cancelled opening, saving or downloading a network."""


class CertificateError(WayfrontError, AssertionError):
    """A result failed the proof that it is right."""


class PluginError(WayfrontError, ImportError):
    """A plug-in cannot be loaded, or failed at work: the text has its file and line."""


class PluginWarning(UserWarning):
    """A plug-in cannot be loaded and is left out."""


class NotConvergedWarning(UserWarning):
    """Iterating ended before the gap that was asked for was reached."""
