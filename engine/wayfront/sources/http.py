"""Download one file from the web: whole and checked, or not at all.

The bytes grow in ``NAME.part``. Once they are complete, decompress without error, start as expected and
have the right digest (where one is known), the file is renamed. A broken connection is resumed where it broke (HTTP
Range), with the same or the next mirror; a server that cannot resume sends the whole file again. The next attempt
continues a ``NAME.part`` that a broken connection or a crash left; after a cancel it is deleted.

Cancelling has to work while a server sends nothing, too. So a thread watches for it and shuts the socket down, upon
which the blocked read returns.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import http.client
import shutil
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, Request, build_opener

from wayfront.errors import DownloadError, OpenCancelled
from wayfront.sources.store import PART
from wayfront.version import __version__

USER_AGENT = f"wayfront/{__version__} (+https://github.com/wayfront/wayfront)"
TIMEOUT_S = 30.0
"""How long a server may be silent."""
ATTEMPTS = 4
"""How often one mirror is asked when its connection breaks off."""
_GZIP = b"\x1f\x8b"
_PIECE_BYTES = 1 << 16
_WATCH_S = 0.05

ProgressCallback = Callable[[str, float], None]
"""Called with the name of the stage and the fraction of the file that is done, -1 where that is unknown."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A gzip file on the web: its name, its addresses, and how to verify it.

    ``beginning`` must occur in the first lines of the decompressed text; ``sha256`` is of the compressed file, ``""``
    where none is published.
    """

    name: str
    urls: tuple[str, ...]
    beginning: bytes
    sha256: str = ""


class _RefusedError(Exception):
    """A mirror refuses the file; retrying is useless."""


class _BrokenOffError(Exception):
    """A connection ended too early; the same mirror may resume."""


class _NoSuchRangeError(Exception):
    """The server does not have the requested range of the file."""


def download(
    remote: RemoteFile,
    destination: Path,
    progress: ProgressCallback,
    cancel: threading.Event,
    *,
    timeout_s: float = TIMEOUT_S,
    pause_s: float = 1.0,
) -> None:
    """Download ``remote`` to ``destination``. Raises ``DownloadError`` and ``OpenCancelled``.

    ``pause_s`` is the wait before a broken connection is resumed; it doubles each time.
    """
    part = destination.with_name(destination.name + PART)
    problems: list[str] = []
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        # An earlier attempt may have left bytes of another file: then the first mirror is asked once more.
        for url in remote.urls[: bool(_size(part))] + remote.urls:
            try:
                _fetch(remote, url, part, partial(_transfer, progress=progress, timeout_s=timeout_s), cancel, pause_s)
                _check(remote, part, progress, cancel)
                part.replace(destination)
            except _RefusedError as problem:
                problems.append(str(problem))
            else:
                return
    except OpenCancelled:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    except OSError as problem:
        raise DownloadError(_disk_message(problem, part)) from None
    if not _size(part):
        part.unlink(missing_ok=True)
    raise DownloadError(_all_failed(remote, problems, part))


def _fetch(
    remote: RemoteFile,
    url: str,
    part: Path,
    transfer: Callable[[RemoteFile, str, Path, threading.Event], None],
    cancel: threading.Event,
    pause_s: float,
) -> None:
    """Get all bytes from one mirror, however often its connection breaks. Raises ``_RefusedError``."""
    for attempt in range(ATTEMPTS):
        before = _size(part)
        try:
            transfer(remote, url, part, cancel)
        except _NoSuchRangeError:
            part.unlink(missing_ok=True)
        except _BrokenOffError as problem:
            if cancel.is_set():
                raise OpenCancelled("the download was cancelled") from None
            if attempt + 1 == ATTEMPTS or (attempt and _size(part) == before):
                raise _RefusedError(str(problem)) from None
            if cancel.wait(pause_s * 2**attempt):
                raise OpenCancelled("the download was cancelled") from None
        else:
            return


def _transfer(
    remote: RemoteFile,
    url: str,
    part: Path,
    cancel: threading.Event,
    *,
    progress: ProgressCallback,
    timeout_s: float,
) -> None:
    """Append the missing bytes to ``part``. Raises as ``_open`` does, and ``OSError`` for the disk."""
    have = _size(part)
    stage = f"downloading {remote.name}"
    progress(stage, -1.0)
    with _open(url, cancel, timeout_s, _range(have)) as response:
        resumed = response.status == http.client.PARTIAL_CONTENT and _starts_at(response, have)
        if not resumed:
            have = 0
        length = response.headers.get("Content-Length", "")
        total = have + int(length) if length.isdecimal() else None
        if total is not None:
            _need_space(part, total - have)
        with part.open("ab" if resumed else "wb") as file:
            while piece := _read(response, url):
                if not have and not _GZIP.startswith(piece[: len(_GZIP)]):
                    raise _RefusedError(f"{url} is not a gzip file, perhaps a web page that says why")
                file.write(piece)
                have += len(piece)
                progress(f"{stage}, {format_bytes(have, total)}", have / total if total else -1.0)
    if cancel.is_set():
        raise OpenCancelled("the download was cancelled")
    if total is not None and have < total:
        raise _BrokenOffError(f"{url} broke off after {format_bytes(have, total)}")


def _check(remote: RemoteFile, part: Path, progress: ProgressCallback, cancel: threading.Event) -> None:
    """Verify that the file is complete and the right one; delete a wrong one. Raises ``_RefusedError``."""
    fault = _wrong_digest(remote, part) or _wrong_content(remote, part, progress, cancel)
    if fault:
        part.unlink(missing_ok=True)
        raise _RefusedError(fault)


def _wrong_digest(remote: RemoteFile, part: Path) -> str:
    if not remote.sha256:
        return ""
    with part.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() == remote.sha256:
            return ""
    return f"{remote.name} arrived, but is not the file known by that name (its SHA-256 differs)"


def _wrong_content(remote: RemoteFile, part: Path, progress: ProgressCallback, cancel: threading.Event) -> str:
    """Return the fault of the decompressed text, a wrong beginning or a damaged end, or an empty string."""
    total = max(_size(part), 1)
    try:
        with part.open("rb") as file, gzip.open(file) as text:
            if remote.beginning not in text.read(1 << 12):
                return f"{remote.name} arrived, but does not announce {remote.beginning.decode().strip()!r}"
            while text.read(1 << 22):
                progress(f"checking {remote.name}", file.tell() / total)
                if cancel.is_set():
                    raise OpenCancelled("the download was cancelled")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return f"{remote.name} arrived damaged"
    return ""


# ------------------------------------------------------------------------------------------- one connection


@contextmanager
def _open(
    url: str, cancel: threading.Event, timeout_s: float, headers: dict[str, str] | None = None
) -> Iterator[http.client.HTTPResponse]:
    """Ask for ``url`` and yield the answer, whose socket is shut down as soon as ``cancel`` is set.

    Raises ``_RefusedError``, ``_BrokenOffError``, ``_NoSuchRangeError`` and ``OpenCancelled``.
    """
    sockets: list[socket.socket] = []
    opener = build_opener(_PlainHandler(sockets), _SecureHandler(sockets))
    request = Request(url, headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"} | (headers or {}))
    done = threading.Event()
    watcher = threading.Thread(target=_cut_when_cancelled, args=(sockets, cancel, done), daemon=True)
    watcher.start()
    try:
        try:
            response = opener.open(request, timeout=timeout_s)
        except HTTPError as problem:
            with problem:
                if problem.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                    raise _NoSuchRangeError from None
                raise _RefusedError(_status_message(url, problem.code)) from None
        except (URLError, OSError, http.client.HTTPException) as problem:
            if cancel.is_set():
                raise OpenCancelled("the download was cancelled") from None
            raise _unreachable(url, problem) from None
        with response:
            yield response
    finally:
        done.set()
        watcher.join()


def _cut_when_cancelled(sockets: list[socket.socket], cancel: threading.Event, done: threading.Event) -> None:
    while not done.wait(_WATCH_S):
        if cancel.is_set():
            for connected in sockets:
                with suppress(OSError):
                    # Of the plain socket, also under TLS, whose own shutdown is not meant for another thread.
                    socket.socket.shutdown(connected, socket.SHUT_RDWR)


class _PlainConnection(http.client.HTTPConnection):
    def __init__(self, sockets: list[socket.socket], host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._sockets = sockets

    def connect(self) -> None:
        super().connect()
        self._sockets.append(self.sock)


class _SecureConnection(http.client.HTTPSConnection):
    def __init__(self, sockets: list[socket.socket], host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._sockets = sockets

    def connect(self) -> None:
        super().connect()
        self._sockets.append(self.sock)


class _PlainHandler(HTTPHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        connection: Any = partial(_PlainConnection, self._sockets)
        return self.do_open(connection, req)


class _SecureHandler(HTTPSHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        connection: Any = partial(_SecureConnection, self._sockets)
        return self.do_open(connection, req, context=ssl.create_default_context())


def _read(response: http.client.HTTPResponse, url: str) -> bytes:
    try:
        return response.read1(_PIECE_BYTES)
    except TimeoutError:
        raise _BrokenOffError(f"{url} sent nothing any more") from None
    except (OSError, http.client.HTTPException):
        raise _BrokenOffError(f"{url} broke off") from None


def _range(have: int) -> dict[str, str]:
    return {"Range": f"bytes={have}-"} if have else {}


def _starts_at(response: http.client.HTTPResponse, have: int) -> bool:
    """Return whether the server sends the range that was asked for."""
    if not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
        raise _NoSuchRangeError
    return True


# ------------------------------------------------------------------------------------------- messages


def _unreachable(url: str, problem: BaseException) -> Exception:
    reason = problem.reason if isinstance(problem, URLError) else problem
    host = urlsplit(url).hostname
    if isinstance(reason, socket.gaierror):
        return _RefusedError(f"{host} is not found: there may be no connection to the internet")
    if isinstance(reason, TimeoutError):
        return _BrokenOffError(f"{host} does not answer")
    if isinstance(reason, ssl.SSLError):
        return _RefusedError(f"{host} has no valid certificate ({reason.reason or reason})")
    if isinstance(reason, ConnectionRefusedError):
        return _RefusedError(f"{host} takes no connections")
    return _BrokenOffError(f"{host} cannot be reached ({reason})")


def _status_message(url: str, status: int) -> str:
    if status == http.client.NOT_FOUND:
        return f"{url} does not exist (404)"
    phrase = http.client.responses.get(status, "an unknown status")
    return f"{url} refuses with {status} ({phrase})"


def _all_failed(remote: RemoteFile, problems: list[str], part: Path) -> str:
    reasons = "; ".join(dict.fromkeys(problems))
    kept = _size(part)
    again = f"the next attempt goes on after the {format_bytes(kept)} that are here" if kept else "then try again"
    return f"{remote.name} could not be downloaded: {reasons}. Check the connection; {again}"


def _disk_message(problem: OSError, part: Path) -> str:
    if problem.errno == errno.ENOSPC:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        return f"the disk is full: {problem.strerror or problem}. Free some space, or set WAYFRONT_DATA to another disk"
    return f"{problem.filename or part} cannot be written: {problem.strerror or problem}"


def _need_space(part: Path, more: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if more > free:
        raise OSError(errno.ENOSPC, f"{format_bytes(more)} are still to come and {format_bytes(free)} are free")


def format_bytes(count: int, total: int | None = None) -> str:
    """Return a number of bytes as text, ``1.2 MB``, or with a total, ``0.4 of 1.2 MB``."""
    largest = count if total is None else max(total, count)
    unit, name = next(((u, n) for u, n in ((10**9, "GB"), (10**6, "MB")) if largest >= u), (1000, "kB"))
    if total is None:
        return f"{count / unit:,.{int(unit > 1000 and count < 10 * unit)}f} {name}"
    text = f"{count / unit:,.1f}" if unit > 1000 else f"{count / unit:,.0f}"
    return f"{text} of {total / unit:,.1f} {name}" if unit > 1000 else f"{text} of {total / unit:,.0f} {name}"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
