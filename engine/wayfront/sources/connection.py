"""Ask one server for one address, over http or https alone, so that a cancel ends it at once.

Cancelling has to work while a server sends nothing, too. So a thread watches for it and shuts the socket down, upon
which the blocked read returns.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
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

from wayfront.errors import OpenCancelled
from wayfront.version import __version__

USER_AGENT = f"wayfront/{__version__} (+https://github.com/wayfront/wayfront)"
_SCHEMES = ("http", "https")
_WATCH_S = 0.05


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
    if urlsplit(url).scheme.lower() not in _SCHEMES:
        raise RefusedError(f"{url} is no http or https address")
    opener = _opener(sockets)
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
                    raise NoSuchRangeError from None
                raise RefusedError(_status_message(url, problem.code)) from None
        except (URLError, OSError, http.client.HTTPException) as problem:
            if cancel.is_set():
                raise OpenCancelled("the download was cancelled") from None
            raise _unreachable(url, problem) from None
        with response:
            yield response
    finally:
        done.set()
        watcher.join()


def _opener(sockets: list[socket.socket]) -> OpenerDirector:
    """Return what opens http and https and nothing else; ``build_opener`` would add files, FTP and data."""
    opener = OpenerDirector()
    handlers = (ProxyHandler(), _PlainHandler(sockets), _SecureHandler(sockets), _Redirects())
    for handler in (*handlers, HTTPDefaultErrorHandler(), HTTPErrorProcessor()):
        opener.add_handler(handler)
    return opener


class _Redirects(HTTPRedirectHandler):
    """Follow a redirect to http or https alone, and never from https to http."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        before, after = (urlsplit(url).scheme.lower() for url in (req.full_url, newurl))
        if after not in _SCHEMES or (before == "https" and after == "http"):
            raise RefusedError(f"{req.full_url} leads on to {newurl[:200]!r}, which is not as safe as it")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


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


class _SecureConnection(_PlainConnection, http.client.HTTPSConnection):
    """As the plain one, whose ``super`` is TLS here."""


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
