"""Real browsers without a screen, led by WebDriver BiDi (W3C), the one protocol that Chromium and Firefox both speak.

Chromium is started by its driver, Firefox listens by itself. What is asked for is waited for; what a page says on its
console and what it asks of a network is kept.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtGui import QImage
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, websocket_connect

PROGRAMS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}
DRIVER = "chromedriver"
_LONGEST_S = 60.0
_LARGEST = 1 << 28


def installed(name: str) -> str | None:
    """Return the program of a browser that can be led here, or None."""
    if name == "chromium" and shutil.which(DRIVER) is None:
        return None
    return next((path for program in PROGRAMS[name] if (path := shutil.which(program))), None)


@dataclass
class Browser:
    """A browser that is led over a socket; each test has a window, a ``Tab``, of its own."""

    loop: asyncio.AbstractEventLoop
    connection: WebSocketClientConnection
    events: list[dict[str, Any]] = field(default_factory=list)
    _asked: int = 0

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; events on the way are kept."""
        self._asked += 1
        message = json.dumps({"id": self._asked, "method": method, "params": parameters})

        async def answer() -> dict[str, Any]:
            await self.connection.write_message(message)
            while True:
                read = await self.connection.read_message()
                assert read is not None, "the browser has gone"
                found: dict[str, Any] = json.loads(read)
                if found.get("id") == self._asked:
                    return found
                if found.get("type") == "event":
                    self.events.append(found)

        found = self.loop.run_until_complete(asyncio.wait_for(answer(), _LONGEST_S))
        if "error" in found:
            raise AssertionError(f"{method}: {found['error']}: {found.get('message')}")
        result: dict[str, Any] = found["result"]
        return result

    @contextmanager
    def tab(self, width: int, height: int, ratio: float = 1.0) -> Iterator[Tab]:
        """Open a window of so many logical pixels, and close it behind the block."""
        self.events.clear()
        context = self.ask("browsingContext.create", type="tab")["context"]
        try:
            size = {"width": width, "height": height}
            self.ask("browsingContext.setViewport", context=context, viewport=size, devicePixelRatio=ratio)
            yield Tab(self, context)
        finally:
            self.ask("browsingContext.close", context=context)


@dataclass
class Tab:
    """One window of a browser."""

    browser: Browser
    context: str

    def open(self, address: str) -> None:
        """Load a page and wait until it is there."""
        self.browser.ask("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a function's body returns, or what it promises, as JSON; its arguments are ``given``."""
        body = (
            f"async (...texts) => {{ const given = texts.map(JSON.parse); "
            f"return JSON.stringify(await (async () => {{ {script} }})() ?? null); }}"
        )
        found = self.browser.ask(
            "script.callFunction",
            functionDeclaration=body,
            awaitPromise=True,
            target={"context": self.context},
            arguments=[{"type": "string", "value": json.dumps(each)} for each in arguments],
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def wait_for(self, expression: str) -> Any:
        """Return the value of an expression as soon as it is true."""
        until = time.monotonic() + _LONGEST_S
        while not (value := self.run(f"return {expression}")):
            assert time.monotonic() < until, f"{expression} is still not so"
            time.sleep(0.02)
        return value

    def act(self, kind: str, *actions: dict[str, Any]) -> None:
        """Let the mouse, a key or the wheel do something."""
        device: dict[str, Any] = {"type": kind, "id": kind, "actions": list(actions)}
        if kind == "pointer":
            device["parameters"] = {"pointerType": "mouse"}
        self.browser.ask("input.performActions", context=self.context, actions=[device])

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a place of the window."""
        self.act("pointer", {"type": "pointerMove", "x": round(x), "y": round(y)})

    def click(self, x: float, y: float) -> None:
        """Click at a place of the window."""
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self.act("pointer", {"type": "pointerMove", "x": round(x), "y": round(y)}, down, up)

    def drag(self, x: float, y: float, across: float, down: float) -> None:
        """Drag from a place by so many pixels."""
        at, to = {"x": round(x), "y": round(y)}, {"x": round(x + across), "y": round(y + down)}
        self.act(
            "pointer",
            {"type": "pointerMove", **at},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 50, **to},
            {"type": "pointerUp", "button": 0},
        )

    def turn(self, x: float, y: float, down: int) -> None:
        """Turn the wheel at a place."""
        self.act("wheel", {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": down})

    def press(self, *keys: str) -> None:
        """Press keys together and let them go; those without a letter are in ``KEYS``."""
        values = [KEYS.get(key, key) for key in keys]
        downs = [{"type": "keyDown", "value": value} for value in values]
        self.act("key", *downs, *({"type": "keyUp", "value": value} for value in reversed(values)))

    def place(self, selector: str) -> tuple[float, float, float, float]:
        """Return left, top, width and height of an element."""
        script = "const b = document.querySelector(given[0]).getBoundingClientRect();"
        left, top, width, height = self.run(f"{script} return [b.left, b.top, b.width, b.height]", selector)
        return left, top, width, height

    def click_on(self, selector: str) -> None:
        """Click in the middle of an element."""
        left, top, width, height = self.place(selector)
        self.click(left + width / 2, top + height / 2)

    def picture(self, selector: str) -> np.ndarray:
        """Return the pixels of an element, uint8 [height, width, 3]."""
        box = dict(zip(("x", "y", "width", "height"), self.place(selector), strict=True))
        clip = {"type": "box", **box}
        data = self.browser.ask("browsingContext.captureScreenshot", context=self.context, clip=clip)["data"]
        image = QImage.fromData(base64.b64decode(data)).convertToFormat(QImage.Format.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()

    @property
    def console(self) -> list[str]:
        """What was said on the console, errors and refused requests among it."""
        self.run("await new Promise(requestAnimationFrame)")
        said = [event for event in self.browser.events if event["method"] == "log.entryAdded"]
        return [f"{event['params']['level']}: {event['params']['text']}" for event in said]

    @property
    def requests(self) -> list[str]:
        """The addresses that were asked for."""
        asked = [event for event in self.browser.events if event["method"] == "network.beforeRequestSent"]
        return [event["params"]["request"]["url"] for event in asked]


KEYS = {
    "Control": "\ue009",
    "Shift": "\ue008",
    "Escape": "\ue00c",
    "End": "\ue010",
    "Home": "\ue011",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "Left": "\ue012",
    "Up": "\ue013",
    "Right": "\ue014",
    "Down": "\ue015",
    "Enter": "\ue007",
    "Tab": "\ue004",
}


@contextmanager
def started(name: str, folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile in a folder, and end it behind the block."""
    program, port = installed(name), free_port()
    assert program is not None
    if name == "chromium":
        command = [DRIVER, f"--port={port}"]
    else:
        command = [program, "--headless", "--no-remote", "--profile", str(folder), f"--remote-debugging-port={port}"]
    environment = {**os.environ, "HOME": str(folder), "MOZ_HEADLESS": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    loop = asyncio.new_event_loop()
    session = ""
    try:
        _wait_for_port(port, process)
        if name == "chromium":
            address, session = _chromium_session(port, program, folder)
        else:
            address = f"ws://127.0.0.1:{port}/session"

        async def connect() -> WebSocketClientConnection:
            return await websocket_connect(address, max_message_size=_LARGEST)

        browser = Browser(loop, loop.run_until_complete(connect()))
        if name == "firefox":
            browser.ask("session.new", capabilities={})
        browser.ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        try:
            yield browser
        finally:
            _end(browser, name)
    finally:
        if session:
            address = f"http://127.0.0.1:{port}/session/{session}"
            with urllib.request.urlopen(urllib.request.Request(address, method="DELETE"), timeout=_LONGEST_S):
                pass
        process.terminate()
        process.wait(timeout=_LONGEST_S)
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def _end(browser: Browser, name: str) -> None:
    if name == "firefox":
        with suppress(AssertionError, WebSocketClosedError):  # it may go before it has answered
            browser.ask("browser.close")

    async def close() -> None:
        browser.connection.close()
        while await browser.connection.read_message() is not None:
            pass

    browser.loop.run_until_complete(close())


def _chromium_session(port: int, program: str, folder: Path) -> tuple[str, str]:
    """Return the address of a new session's socket, and its name."""
    # A test may run as the administrator in a container, where Chromium's own sandbox does not work.
    words = ["--headless=new", "--no-sandbox", f"--user-data-dir={folder}", "--disable-dev-shm-usage"]
    words += ["--enable-unsafe-swiftshader", "--hide-scrollbars", "--force-color-profile=srgb"]
    wanted = {"webSocketUrl": True, "goog:chromeOptions": {"binary": program, "args": words}}
    body = json.dumps({"capabilities": {"alwaysMatch": wanted}}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/session", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=_LONGEST_S) as answer:
        value = json.load(answer)["value"]
    return value["capabilities"]["webSocketUrl"], value["sessionId"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _LONGEST_S
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            assert process.poll() is None, "the browser has ended at once"
            assert time.monotonic() < until, "the browser does not listen"
            time.sleep(0.05)
