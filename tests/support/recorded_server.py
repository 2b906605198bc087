"""A web server on loopback that answers what a test tells it to: whole files, parts, refusals, silence."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; names of headers are in lower case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: dict[str, str]


@dataclass
class Answer:
    """What the server says.

    ``ranges``: serve the part a client asks for. ``break_after``: close the connection after so many bytes, although
    more were announced. ``silent_after``: say nothing any more after so many bytes, until the server closes
    (0: not even the status). ``chunked``: announce no length.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    ranges: bool = False
    break_after: int | None = None
    silent_after: int | None = None
    chunked: bool = False


Reply = Callable[[Asked], Answer]


class RecordedServer:
    """Serves ``replies`` by path while the ``with`` block lasts; ``asked`` is what came in, in order.

    A reply is one answer, a list of answers for one request after the other (the last one stays), or a function.
    """

    def __init__(self, replies: dict[str, Answer | list[Answer] | Reply]) -> None:
        self.replies = replies
        self.asked: list[Asked] = []
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> RecordedServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait_silently(self) -> None:
        self._closing.wait(30)

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        reply = self.replies.get(asked.path, Answer(b"<html>not here</html>", 404))
        if isinstance(reply, list):
            return reply.pop(0) if len(reply) > 1 else reply[0]
        return reply if isinstance(reply, Answer) else reply(asked)


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close() joins them

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up, which tests do on purpose."""


def _handler(server: RecordedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def do_GET(self) -> None:
            self._serve("")

        def do_POST(self) -> None:
            self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

        def _serve(self, body: str) -> None:
            address = urlsplit(self.path)
            query = {key: values[-1] for key, values in parse_qs(address.query).items()}
            form = {key: values[-1] for key, values in parse_qs(body).items()}
            headers = {key.lower(): value for key, value in self.headers.items()}
            answer = server.answer(Asked(self.command, address.path, query, headers, form))
            self.close_connection = True
            with suppress(ConnectionError):
                self._send(answer)

        def _send(self, answer: Answer) -> None:
            if answer.silent_after == 0:
                server.wait_silently()
                return
            begin = self._asked_from() if answer.ranges else 0
            if begin and begin >= len(answer.body):
                answer = Answer(status=416)
                begin = 0
            body = answer.body[begin:]
            self.send_response(206 if begin else answer.status)
            if begin:
                self.send_header("Content-Range", f"bytes {begin}-{len(answer.body) - 1}/{len(answer.body)}")
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if not answer.chunked:
                self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            stop = answer.break_after if answer.break_after is not None else answer.silent_after
            self.wfile.write(body[:stop])
            self.wfile.flush()
            if answer.silent_after is not None:
                server.wait_silently()

        def _asked_from(self) -> int:
            match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            return int(match[1]) if match else 0

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
            """Say nothing."""

    return Handler
