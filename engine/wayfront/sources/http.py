"""Download one file from the web: whole and checked, or not at all.

The bytes grow in ``NAME.part``. Once they are complete, decompress without error, start as expected and
have the right digest (where one is known), the file is renamed. A broken connection is resumed where it broke (HTTP
Range), with the same or the next mirror; a server that cannot resume sends the whole file again. The next attempt
continues a ``NAME.part`` that a broken connection or a crash left; after a cancel it is deleted.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import http.client
import shutil
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wayfront.errors import DownloadError, OpenCancelled, WayfrontError
from wayfront.sources.connection import BrokenOffError, NoSuchRangeError, RefusedError, open_address
from wayfront.sources.locking import locked
from wayfront.sources.store import PART

TIMEOUT_S = 30.0
"""How long a server may be silent."""
ATTEMPTS = 4
"""How often one mirror is asked when its connection breaks off."""
LARGEST_BYTES = 8 << 30
"""Most bytes of a file whose size is not known beforehand."""
_GZIP = b"\x1f\x8b"
_PIECE_BYTES = 1 << 16

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
    part = destination.with_name(destination.name + PART)

    def waiting() -> None:
        progress(f"another program downloads {remote.name}", -1.0)

    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with locked(destination, cancel, waiting):
            if not destination.is_file():
                _download(
                    remote,
                    destination,
                    part,
                    partial(_transfer, progress=progress, timeout_s=timeout_s, versions={}),
                    cancel,
                    pause_s,
                    progress,
                )
    except OSError as problem:
        if isinstance(problem, WayfrontError):
            raise
        raise DownloadError(_disk_message(problem, part)) from None


def _download(
    remote: RemoteFile,
    destination: Path,
    part: Path,
    transfer: Callable[[RemoteFile, str, Path, threading.Event], None],
    cancel: threading.Event,
    pause_s: float,
    progress: ProgressCallback,
) -> None:
    problems: list[str] = []
    try:
        # An earlier attempt may have left bytes of another file: then the first mirror is asked once more.
        for url in remote.urls[: bool(_size(part))] + remote.urls:
            try:
                _fetch(remote, url, part, transfer, cancel, pause_s)
                _check(remote, part, progress, cancel)
                part.replace(destination)
            except RefusedError as problem:
                problems.append(str(problem))
            else:
                return
    except OpenCancelled:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
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
    """Get all bytes from one mirror, however often its connection breaks. Raises ``RefusedError``."""
    for attempt in range(ATTEMPTS):
        before = _size(part)
        try:
            transfer(remote, url, part, cancel)
        except NoSuchRangeError:
            part.unlink(missing_ok=True)
        except BrokenOffError as problem:
            if cancel.is_set():
                raise OpenCancelled("the download was cancelled") from None
            if attempt + 1 == ATTEMPTS or (attempt and _size(part) == before):
                raise RefusedError(str(problem)) from None
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
    versions: dict[str, str],
) -> None:
    """Append the missing bytes to ``part``. Raises as ``open_address`` does, and ``OSError`` for the disk.

    ``versions`` holds what each address said of its file's version, so that no other version is appended.
    """
    have = _size(part)
    stage = f"downloading {remote.name}"
    progress(stage, -1.0)
    with open_address(url, cancel, timeout_s, _range(have, versions.get(url, ""))) as response:
        versions[url] = _version_of(response)
        resumed = response.status == http.client.PARTIAL_CONTENT and _starts_at(response, have)
        if not resumed:
            have = 0
        length = response.headers.get("Content-Length", "")
        total = have + int(length) if length.isdecimal() and len(length) < 20 else None
        _refuse_size(remote, url, total or have, part)
        if total is not None:
            _need_space(part, total - have)
        with part.open("ab" if resumed else "wb") as file:
            while piece := _read(response, url):
                if not have and not _GZIP.startswith(piece[: len(_GZIP)]):
                    raise RefusedError(f"{url} is not a gzip file, perhaps a web page that says why")
                file.write(piece)
                have += len(piece)
                _refuse_size(remote, url, have, part)
                progress(f"{stage}, {format_bytes(have, total)}", have / total if total else -1.0)
    if cancel.is_set():
        raise OpenCancelled("the download was cancelled")
    if total is not None and have < total:
        raise BrokenOffError(f"{url} broke off after {format_bytes(have, total)}")


def _refuse_size(remote: RemoteFile, url: str, count: int, part: Path) -> None:
    """Raise ``RefusedError`` for more bytes than the file can have, and delete what came."""
    if count > remote.most_bytes:
        part.unlink(missing_ok=True)
        raise RefusedError(f"{url} sends more than {format_bytes(remote.most_bytes)}: it is not the file")


def _check(remote: RemoteFile, part: Path, progress: ProgressCallback, cancel: threading.Event) -> None:
    """Verify that the file is complete and the right one; delete a wrong one. Raises ``RefusedError``."""
    fault = _wrong_digest(remote, part) or _wrong_content(remote, part, progress, cancel)
    if fault:
        part.unlink(missing_ok=True)
        raise RefusedError(fault)


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


def _starts_at(response: http.client.HTTPResponse, have: int) -> bool:
    """Return whether the server sends the range that was asked for."""
    if not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
        raise NoSuchRangeError
    return True


# ------------------------------------------------------------------------------------------- messages


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
