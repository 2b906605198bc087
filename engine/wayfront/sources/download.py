"""Download from the web: one file, whole and checked or not at all; and what all who ask a server need.

The bytes grow in ``NAME.part``. Once they are complete, decompress without error, start as expected and
have the right digest (where one is known), the file is renamed. A broken connection is resumed where it broke (HTTP
Range), with the same or the next mirror; a server that cannot resume sends the whole file again. The next attempt
continues a ``NAME.part`` that a broken connection or a crash left; after a cancel it is deleted.

A server is asked over http or https alone, and a cancel ends that at once, even while the server sends nothing: a
thread watches for it and shuts the socket down, upon which the blocked read returns. Hence connections are Python's
own, and not those of requests, which hands out no socket before a server has answered.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import http.client
import os
import shutil
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from wayfront.safe.errors import DownloadError, OpenCancelled, WayfrontError
from wayfront.safe.files import file_bytes, why_unwritten
from wayfront.safe.folders import lock
from wayfront.safe.memory import describe_bomb, most_unpacked
from wayfront.safe.text import format_bytes
from wayfront.sources.store import PART
from wayfront.version import __version__

TIMEOUT_S = 30.0
"""How long a server may be silent."""
ATTEMPTS = 4
"""How often one mirror is asked when its connection breaks off."""
LARGEST_BYTES = 8 << 30
"""Most bytes of a file whose size is not known beforehand."""
USER_AGENT = f"wayfront/{__version__} (+https://github.com/wayfront/wayfront)"
_GZIP = b"\x1f\x8b"
_PIECE_BYTES = 1 << 16
_SCHEMES = ("http", "https")
_WATCH_S = 0.05
_POLL_S = 0.1

ProgressCallback = Callable[[str, float], None]
"""Called with the name of the stage and the fraction of the file that is done, -1 where that is unknown."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A gzip file on the web: its name, its addresses, and how to verify it.

    ``beginning`` must occur in the first lines of the decompressed text; ``sha256`` is of the compressed file, ``""``
    where none is published. ``about_bytes`` is its approximate size, 0 where that is unknown: more than twice as much
    is not taken.
    """

    name: str
    urls: tuple[str, ...]
    beginning: bytes
    sha256: str = ""
    about_bytes: int = 0

    @property
    def most_bytes(self) -> int:
        """How many bytes are taken at most."""
        return 2 * self.about_bytes or LARGEST_BYTES


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

    Where another program downloads the same file, wait for it and take its file. ``pause_s`` is the wait before a
    broken connection is resumed; it doubles each time.
    """
    with part_of(destination, remote.name, progress, cancel) as part:
        if not destination.is_file():
            _Download(remote, part, progress, cancel, timeout_s, pause_s).run(destination)


@contextmanager
def part_of(destination: Path, name: str, progress: ProgressCallback, cancel: threading.Event) -> Iterator[Path]:
    """Yield the file in which a download may grow, in its folder and under its lock; ``name`` is what is reported.

    Raises ``DownloadError`` where the disk does not allow it, and ``OpenCancelled`` while waiting for another program.
    """
    part = destination.with_name(destination.name + PART)

    def waiting() -> None:
        progress(f"another program downloads {name}", -1.0)

    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with locked(destination, cancel, waiting):
            yield part
    except OSError as problem:
        if isinstance(problem, WayfrontError):
            raise
        if problem.errno != errno.ENOSPC:
            raise DownloadError(f"{problem.filename or part} cannot be written: {why_unwritten(problem)}") from None
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise DownloadError(
            f"the disk is full: {problem.strerror or problem}. Free some space, or set WAYFRONT_DATA to another disk"
        ) from None


@dataclass(slots=True)
class _Download:
    """The download of one file; ``versions`` holds what each address said of its file's version."""

    remote: RemoteFile
    part: Path
    progress: ProgressCallback
    cancel: threading.Event
    timeout_s: float
    pause_s: float
    versions: dict[str, str] = field(default_factory=dict)

    def run(self, destination: Path) -> None:
        """Get the file from one mirror after the other. Raises ``DownloadError`` and ``OpenCancelled``."""
        problems: list[str] = []
        urls = self.remote.urls
        try:
            # An earlier attempt may have left bytes of another file: then the first mirror is asked once more.
            for url in urls[: bool(file_bytes(self.part))] + urls:
                try:
                    self._fetch(url)
                    self._check()
                    self.part.replace(destination)
                except RefusedError as problem:
                    problems.append(str(problem))
                else:
                    return
        except OpenCancelled:
            with suppress(OSError):
                self.part.unlink(missing_ok=True)
            raise
        if not file_bytes(self.part):
            self.part.unlink(missing_ok=True)
        raise DownloadError(_all_failed(self.remote, problems, self.part))

    def _fetch(self, url: str) -> None:
        """Get all bytes from one mirror, however often its connection breaks. Raises ``RefusedError``."""
        for attempt in range(ATTEMPTS):
            before = file_bytes(self.part)
            try:
                self._transfer(url)
            except NoSuchRangeError:
                self.part.unlink(missing_ok=True)
            except BrokenOffError as problem:
                self._stop_if_cancelled()
                if attempt + 1 == ATTEMPTS or (attempt and file_bytes(self.part) == before):
                    raise RefusedError(str(problem)) from None
                self.cancel.wait(self.pause_s * 2**attempt)
                self._stop_if_cancelled()
            else:
                return
        raise RefusedError(f"{url} does not send the file from its beginning")

    def _transfer(self, url: str) -> None:
        """Append the missing bytes. Raises as ``open_address`` does, and ``OSError`` for the disk."""
        have = file_bytes(self.part)
        stage = f"downloading {self.remote.name}"
        self.progress(stage, -1.0)
        with open_address(url, self.cancel, self.timeout_s, _range(have, self.versions.get(url, ""))) as response:
            self.versions[url] = _version_of(response)  # so that no other version is appended
            resumed = response.status == http.client.PARTIAL_CONTENT
            if resumed and not have:
                raise RefusedError(f"{url} sends a part of the file, though the whole was asked for")
            if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                raise NoSuchRangeError
            have = have if resumed else 0
            length = response.headers.get("Content-Length", "")
            total = have + int(length) if length.isdecimal() and len(length) < 20 else None
            self._refuse_size(url, total or have)
            if total is not None:
                _need_space(self.part, total - have)
            with self.part.open("ab" if resumed else "wb") as file:
                while piece := _read(response, url):
                    if not have and not _GZIP.startswith(piece[: len(_GZIP)]):
                        raise RefusedError(f"{url} is not a gzip file, perhaps a web page that says why")
                    file.write(piece)
                    have += len(piece)
                    self._refuse_size(url, have)
                    self.progress(f"{stage}, {format_bytes(have, total)}", have / total if total else -1.0)
        self._stop_if_cancelled()
        if total is not None and have < total:
            raise BrokenOffError(f"{url} broke off after {format_bytes(have, total)}")

    def _refuse_size(self, url: str, count: int) -> None:
        """Raise ``RefusedError`` for more bytes than the file can have, and delete what came."""
        if count > self.remote.most_bytes:
            self.part.unlink(missing_ok=True)
            raise RefusedError(f"{url} sends more than {format_bytes(self.remote.most_bytes)}: it is not the file")

    def _stop_if_cancelled(self) -> None:
        if self.cancel.is_set():
            raise OpenCancelled("the download was cancelled")

    def _check(self) -> None:
        """Verify that the file is complete and the right one; delete a wrong one. Raises ``RefusedError``."""
        fault = self._fault()
        if fault:
            self.part.unlink(missing_ok=True)
            raise RefusedError(fault)

    def _fault(self) -> str:
        """Return what is wrong with the file: its digest, the beginning of its text or its end; "" for nothing."""
        name, beginning, total = self.remote.name, self.remote.beginning, max(file_bytes(self.part), 1)
        try:
            with self.part.open("rb") as file, gzip.open(file) as text:
                if self.remote.sha256 and self.remote.sha256 != hashlib.file_digest(file, "sha256").hexdigest():
                    return f"{name} arrived, but is not the file known by that name (its SHA-256 differs)"
                file.seek(0)
                if beginning not in text.read(1 << 12):
                    return f"{name} arrived, but does not announce {beginning.decode().strip()!r}"
                while text.read(1 << 22):
                    if text.tell() > most_unpacked(total):
                        return f"{name} arrived, but {describe_bomb(total)}"
                    self.progress(f"checking {name}", file.tell() / total)
                    self._stop_if_cancelled()
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return f"{name} arrived damaged"
        return ""


def _read(response: http.client.HTTPResponse, url: str) -> bytes:
    try:
        return response.read1(_PIECE_BYTES)
    except TimeoutError:
        raise BrokenOffError(f"{url} sent nothing any more") from None
    except (OSError, http.client.HTTPException):
        raise BrokenOffError(f"{url} broke off") from None


def _range(have: int, version: str) -> dict[str, str]:
    """Return the headers that ask for the rest of a file, or for the whole where it has another version now."""
    return {"Range": f"bytes={have}-"} | ({"If-Range": version} if version else {}) if have else {}


def _version_of(response: http.client.HTTPResponse) -> str:
    """Return what the server says of the file's version: a strong ETag, else when it was changed."""
    tag = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else response.headers.get("Last-Modified", "")


# ------------------------------------------------------------------------------------------- one server, one address


class RefusedError(Exception):
    """A mirror refuses the file; retrying is useless."""


class BrokenOffError(Exception):
    """A connection ended too early; the same mirror may resume."""


class NoSuchRangeError(Exception):
    """The server does not have the requested range of the file."""


@contextmanager
def open_address(
    url: str, cancel: threading.Event, timeout_s: float, headers: dict[str, str] | None = None
) -> Iterator[http.client.HTTPResponse]:
    """Ask for ``url`` and yield the answer, whose socket is shut down as soon as ``cancel`` is set.

    Raises ``RefusedError``, ``BrokenOffError``, ``NoSuchRangeError`` and ``OpenCancelled``.
    """
    sockets: list[socket.socket] = []

    def cut() -> None:
        for connected in sockets:
            with suppress(OSError):
                # Of the plain socket, also under TLS, whose own shutdown is not meant for another thread.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

    if _scheme(url) not in _SCHEMES:
        raise RefusedError(f"{url} is no http or https address")
    opener = _opener(sockets)
    request = Request(url, headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"} | (headers or {}))
    with when_cancelled(cancel, cut):
        try:
            response = opener.open(request, timeout=timeout_s)
        except HTTPError as problem:
            with problem:
                if problem.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                    raise NoSuchRangeError from None
                raise RefusedError(_status_message(url, problem.code)) from None
        except (URLError, OSError, http.client.HTTPException) as problem:
            if cancel.is_set():
                raise OpenCancelled("the download was cancelled") from None
            raise _unreachable(url, problem) from None
        except ValueError:  # the library's words for the address of a redirect that is none, such as http://[::1/
            raise RefusedError(f"{url} leads on to an address that is none") from None
        with response:
            yield response


@contextmanager
def when_cancelled(cancel: threading.Event, act: Callable[[], None]) -> Iterator[None]:
    """Call ``act`` from another thread, now and then, from the moment when ``cancel`` is set until the block ends."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_WATCH_S):
            if cancel.is_set():
                act()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _opener(sockets: list[socket.socket]) -> OpenerDirector:
    """Return what opens http and https and nothing else; ``build_opener`` would add files, FTP and data."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        _Connecting(sockets),
        _Redirects(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


class _Connecting(HTTPHandler, HTTPSHandler):
    """Connects to a server and notes the socket."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(self._noting(http.client.HTTPConnection), req)

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        connection = self._noting(http.client.HTTPSConnection)
        return self.do_open(connection, req, context=ssl.create_default_context())

    def _noting(self, kind: Any) -> Any:
        sockets = self._sockets

        class Connection(kind):
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        return Connection


class _Redirects(HTTPRedirectHandler):
    """Follow a redirect to http or https alone, and never from https to http."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        before, after = (_scheme(url) for url in (req.full_url, newurl))
        if after not in _SCHEMES or (before == "https" and after == "http"):
            raise RefusedError(f"{req.full_url} leads on to {newurl[:200]!r}, which is not as safe as it")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _scheme(url: str) -> str:
    """Return the scheme of an address, "" for a text that is none."""
    try:
        return urlsplit(url).scheme.lower()
    except ValueError:
        return ""


def _unreachable(url: str, problem: BaseException) -> Exception:
    reason = problem.reason if isinstance(problem, URLError) else problem
    host = urlsplit(url).hostname
    if isinstance(reason, socket.gaierror):
        return RefusedError(f"{host} is not found: there may be no connection to the internet")
    if isinstance(reason, TimeoutError):
        return BrokenOffError(f"{host} does not answer")
    if isinstance(reason, ssl.SSLError):
        return RefusedError(f"{host} has no valid certificate ({reason.reason or reason})")
    if isinstance(reason, ConnectionRefusedError):
        return RefusedError(f"{host} takes no connections")
    return BrokenOffError(f"{host} cannot be reached ({reason})")


def _status_message(url: str, status: int) -> str:
    if status == http.client.NOT_FOUND:
        return f"{url} does not exist (404)"
    phrase = http.client.responses.get(status, "an unknown status")
    return f"{url} refuses with {status} ({phrase})"


# ------------------------------------------------------------------------------------ two programs, one file


@contextmanager
def locked(path: Path, cancel: threading.Event, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of a file to be written; ``waiting`` is called now and then while another program holds it.

    It is the operating system's own on a small file beside the download, so that it ends with the program that holds
    it, however that ends. The file is deleted while it is locked; whoever waited for a deleted one makes a new one.
    Raises ``OpenCancelled`` while waiting, and ``OSError`` where the folder cannot be written.
    """
    beside = path.with_name(f".{path.name}.lock")
    while (held := _try(beside)) is None:
        waiting()
        if cancel.wait(_POLL_S):
            raise OpenCancelled("the download was cancelled")
    try:
        yield
    finally:
        with suppress(OSError):  # Windows deletes no open file; it stays, and locks nothing
            beside.unlink()
        held.close()


def _try(path: Path) -> IO[bytes] | None:
    """Return the open and locked file, None where another program holds it."""
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600), "r+b")
    try:
        lock(file, wait=False)
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass  # it is locked, or was deleted between opening and locking, by a program that has ended its download
    except BaseException:
        file.close()
        raise
    file.close()
    return None


# --------------------------------------------------------------------------------------------------- messages


def _all_failed(remote: RemoteFile, problems: list[str], part: Path) -> str:
    reasons = "; ".join(dict.fromkeys(problems))
    kept = file_bytes(part)
    again = f"the next attempt goes on after the {format_bytes(kept)} that are here" if kept else "then try again"
    return f"{remote.name} could not be downloaded: {reasons}. Check the connection; {again}"


def _need_space(part: Path, more: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if more > free:
        raise OSError(errno.ENOSPC, f"{format_bytes(more)} are still to come and {format_bytes(free)} are free")
