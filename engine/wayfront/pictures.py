"""Pictures, films and pages of networks, searches and results for notebooks and scripts, and tables of facts in HTML.

The window's own canvas draws them, where that is installed: the engine asks for its drawing functions by name, as for a
plug-in's, and imports nothing of it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from wayfront.safe.errors import MissingPackageError, OptionError, WayfrontError
from wayfront.safe.files import write_text_whole, write_whole
from wayfront.safe.text import printable
from wayfront.widgets import Link

CANVAS = "wayfront_gui.cli.drawing"
"""The module whose ``draw`` returns a picture as the bytes of a PNG, ``film`` a film as those of a file, ``page`` one
as its HTML, and ``dragged`` one with what makes its trees."""

SHOWN: dict[str, Any] = {"theme": "light", "width": 640, "height": 400, "scale": 1.25}
"""How a notebook shows what is not plotted on purpose: small, since it stays in the notebook."""
MOST_NODES_SHOWN = 500_000
"""Larger networks are drawn where somebody calls ``plot``: it takes a second and more."""
MOST_NODES_LAID_OUT = 2_000
"""Networks without coordinates are first laid out, which takes longer."""

MEDIA = {"mp4": "video/mp4", "webm": "video/webm", "gif": "image/gif"}
"""The forms of films, and what browsers call them."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as the bytes of a PNG file; a notebook shows it.

    >>> import wayfront
    >>> picture = wayfront.open_network("synthetic:ring?nodes=5").plot(width=60, height=40)
    >>> picture.png[1:4]
    b'PNG'
    """

    png: bytes

    def __repr__(self) -> str:
        return f"<Picture: PNG of {len(self.png):,} bytes>"

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | Path) -> None:
        """Write the picture as a PNG file. Raises ``OptionError`` for another suffix, and ``WriteError``.

        >>> import tempfile, wayfront
        >>> picture = wayfront.open_network("synthetic:ring?nodes=5").plot(width=60, height=40)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     picture.save(f"{folder}/ring.png")
        """
        if Path(path).suffix.lower() != ".png":
            raise OptionError(f"{path}: this picture is written as .png; 'wayfront render' writes drawings and films")
        with write_whole(path) as file:
            file.write(self.png)


@dataclass(frozen=True, slots=True)
class Film:
    """A film as the bytes of a file; a notebook plays it. ``form`` is ``"mp4"``, ``"webm"`` or ``"gif"``.

    >>> import wayfront
    >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
    >>> trace = wayfront.search(network, 0, "dijkstra", "cpu", trace=True).trace
    >>> trace.animate(seconds=0.2, width=64, height=48, scale=1, form="gif").form
    'gif'
    """

    data: bytes
    form: str

    def __repr__(self) -> str:
        return f"<Film: {self.form.upper()} of {len(self.data):,} bytes>"

    def _repr_html_(self) -> str:
        if self.form == "gif":
            return image_html(MEDIA["gif"], self.data, "film of a search")
        address = data_address(MEDIA[self.form], self.data)
        return f'<video controls autoplay loop muted playsinline style="max-width:100%" src="{address}"></video>'

    def save(self, path: str | Path) -> None:
        """Write the film as a file of its form. Raises ``OptionError`` for another suffix, and ``WriteError``.

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> trace = wayfront.search(network, 0, "dijkstra", "cpu", trace=True).trace
        >>> film = trace.animate(seconds=0.2, width=64, height=48, scale=1, form="gif")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     film.save(f"{folder}/search.gif")
        """
        if Path(path).suffix.lower() != f".{self.form}":
            raise OptionError(f"{path}: this film is written as .{self.form}; animate(form=…) makes it in another form")
        with write_whole(path) as file:
            file.write(self.data)


@dataclass(frozen=True, slots=True)
class Page:
    """A search to play, as the HTML of one file that needs nothing else; a notebook shows it ``height`` pixels high.

    The frame round it is closed: what is inside can reach neither the notebook nor a network. ``png`` is what a
    notebook shows that is printed, None for nothing. While the kernel runs, and with the extra ``notebook``, ``tell``
    leads the page and ``state`` says what it shows.

        >>> from wayfront.pictures import Page
        >>> Page("<!DOCTYPE html>", height=300)
        <Page: HTML of 15 bytes>
    """

    html: str
    height: int = 480
    png: bytes | None = None
    _link: Link = field(default_factory=Link, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Page: HTML of {len(self.html.encode('utf-8', 'backslashreplace')):,} bytes>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        style = f"width:100%;height:{self.height}px;border:0;border-radius:8px"
        frame = (
            f'<iframe id="{self._link.frame}" sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.html)}">'
            "</iframe>"
        )
        shown = {"text/html": frame, "text/plain": repr(self)}
        return shown if self.png is None else {**shown, "image/png": b64encode(self.png).decode("ascii")}

    def _ipython_display_(self) -> None:
        self._link.show(self._repr_mimebundle_())

    @property
    def state(self) -> dict[str, Any]:
        """What the page said of itself last, as ``docs/command-line.md`` lists it; empty before a notebook shows it."""
        return self._link.state

    def tell(self, message: str, value: Any = None) -> None:
        """Send the shown page a message, such as ``tell("at", "40%")`` or ``tell("play")``.

        Raises ``OptionError`` where no notebook with a kernel and the extra ``notebook`` shows it.

            >>> Page("<!DOCTYPE html>").tell("play")
            Traceback (most recent call last):
            wayfront.safe.errors.OptionError: no notebook with a kernel shows this page: show it first
        """
        self._link.tell(message, value)

    def save(self, path: str | Path) -> None:
        """Write the page as an ``.html`` file. Raises ``OptionError`` for another suffix, and ``WriteError``.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Page("<!DOCTYPE html>").save(f"{folder}/search.html")
        """
        if Path(path).suffix.lower() != ".html":
            raise OptionError(f"{path}: this page is written as .html")
        write_text_whole(path, self.html)


def page(result: Any, *, height: int, **how: Any) -> Page:
    """Return the page of a result with steps. Raises ``OptionError`` as its ``show`` does."""
    if result.trace is None:
        raise OptionError("a page shows the steps of a search: search with trace=True")
    _check_height(height)
    html = _canvas("show()").page(result, **how)
    return Page(html, height, shown_picture(result, result.network))


def race_page(results: Sequence[Any], *, height: int, **how: Any) -> Page:
    """Return the page of a race. Raises ``OptionError`` as its ``show`` does."""
    if any(result.trace is None for result in results):
        raise OptionError("a race shows the steps of its searches: search with trace=True")
    _check_height(height)
    html = _canvas("show()").race(results, **how)
    return Page(html, height, shown_picture(results[0], results[0].network))


def dragged(network: Any, *, height: int, **how: Any) -> Page:
    """Return a page whose source is dragged, with the kernel's trees. Raises as the network's ``drag`` does."""
    _check_height(height)
    result, html, trees = _canvas("drag()").dragged(network, **how)
    return Page(html, height, shown_picture(result, network), Link(trees))


def _check_height(height: int) -> None:
    if height < 100:
        raise OptionError(f"a page is at least 100 pixels high, not {height}")


def picture(subject: Any, **how: Any) -> Picture:
    """Return a picture of a network or a result. Raises ``OptionError`` where no canvas is installed."""
    return Picture(_canvas("plot()").draw(subject, **how))


def film(result: Any, *, form: str, **how: Any) -> Film:
    """Return a film of a result's trace. Raises ``OptionError`` for another form, or where no canvas is installed."""
    if form not in MEDIA:
        raise OptionError(f"a film has the form {', '.join(MEDIA)}, not {form!r}")
    return Film(_canvas("animate()").film(result, form=form, **how), form)


def shown_picture(subject: Any, network: Any) -> bytes | None:
    """Return the PNG that a notebook shows of something on a network; None where that is too large or fails."""
    most = MOST_NODES_LAID_OUT if network.coordinates is None else MOST_NODES_SHOWN
    if network.node_count > most:
        return None
    try:
        return picture(subject, step=None, **SHOWN).png
    except WayfrontError:
        return None


def _canvas(call: str) -> Any:
    try:
        return import_module(CANVAS)
    except ImportError as missing:
        raise MissingPackageError(
            f"{call} draws with the window's canvas, which cannot be loaded here: {missing}"
        ) from None


def facts_shown(title: str, facts: Mapping[str, str], png: bytes | None) -> dict[str, str]:
    """Return what a notebook may show of an object, by media type: a table with a picture below, or the picture alone.

    Notebooks ask for all of it at once (``_repr_mimebundle_``), so that the picture is drawn once. Strangers' texts are
    shown as written.
    """
    table = _table(title, facts)
    if png is None:
        return {"text/html": table}
    return {"text/html": table + image_html("image/png", png, title), "image/png": b64encode(png).decode("ascii")}


def _table(title: str, facts: Mapping[str, str]) -> str:
    left = 'style="text-align:left"'
    rows = [f"<tr><th {left}>{_text(name)}</th><td {left}>{_text(fact)}</td></tr>" for name, fact in facts.items()]
    return f"<table><caption {left}><b>{_text(title)}</b></caption>{''.join(rows)}</table>"


def image_html(kind: str, data: bytes, title: str) -> str:
    """Return a picture of a media type inside the HTML itself, so that it stays with the notebook."""
    return f'<img src="{data_address(kind, data)}" alt="{_text(title)}" style="max-width:100%">'


def data_address(kind: str, data: bytes) -> str:
    """Return data of a media type as an address that needs no file."""
    return f"data:{kind};base64,{b64encode(data).decode('ascii')}"


def _text(text: str) -> str:
    return escape(printable(text))
