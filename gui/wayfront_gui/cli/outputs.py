"""The files that a command reads and writes: checked before anything is opened or searched, written at the end.

``-o -`` writes to standard output, for whatever reads the other end of a pipe. A writer gets a path with a suffix, as
for any file; what it wrote is sent when it is whole. So a command that fails sends nothing, and nothing but the file is
on standard output.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wayfront.network.conventions import is_made
from wayfront.safe.errors import FormatError, OptionError, WriteError
from wayfront.safe.files import NO_SUCH_FILE, check_writable, open_regular, why_unwritten
from wayfront_gui import interrupts
from wayfront_gui.cli.arguments import format_option, output_option, refuse_given
from wayfront_gui.cli.console import PlainStream, print_json, print_message, print_tables
from wayfront_gui.cli.drawing import require_qt, start_qt

if TYPE_CHECKING:
    from rich.table import Table

STDOUT = "-"
USUAL_SUFFIX = ".csv"
"""What ``-o -`` writes where nobody says it: other programs read it line by line."""
PICTURES = (".png", ".webp", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
"""Suffixes of pictures that Qt writes."""
DRAWINGS = (".svg", ".pdf")
"""Suffixes of drawings, which stay sharp at any size."""
FILMS = (".mp4", ".webm", ".gif")
"""Suffixes of films."""
PAGES = (".html",)
"""Suffixes of pages, which a browser shows."""
MARKDOWN = ".md"
CHARTS, TEXTS = (*PICTURES, *DRAWINGS), (".csv", ".json", MARKDOWN)
"""Suffixes of charts, and of tables, which are written without Qt too."""
READABLE = (*TEXTS, ".svg", ".geojson", ".gpx")
"""Suffixes of files that a terminal can show."""
_PIECE = 1 << 20


# ------------------------------------------------------------------------------------------------------- what is opened


def is_there(name: str) -> bool:
    """Return whether there is a file of that name; one that no system takes for a name is not there."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # longer than the system allows, or with a zero byte
        return False


def check_can_open(name: str) -> None:
    """Check that a name is a file that can be read, a downloaded network, a synthetic one or an example.

    Raises ``FormatError`` (no such file), ``OSError`` (a folder, a pipe, not readable) or ``DownloadError`` (not
    downloaded yet).
    """
    from wayfront.sources.store import DIMACS, split_name

    path = Path(name)
    if not path.exists() and is_made(name):
        return
    scheme = None if path.exists() else split_name(name)
    if scheme is not None:
        if scheme[0] == DIMACS:
            from wayfront.sources.catalogue import locate
        else:
            from wayfront.sources.places import locate
        locate(name)
    elif path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    elif not path.exists():
        raise FormatError(NO_SUCH_FILE, name)
    elif not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    else:
        open_regular(path).close()


# ------------------------------------------------------------------------------------------------------ what is written


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that a command writes, all checked; ``-`` among them is standard output."""

    files: tuple[str, ...]
    form: str | None = None

    @classmethod
    def checked(cls, output: list[str] | None, suffixes: Sequence[str], form: str | None, *, json: bool) -> Outputs:
        """Return the files, checked before anything is opened. Raises ``OptionError`` and ``WriteError``."""
        files = cls(tuple(check_outputs(output, suffixes, form, USUAL_SUFFIX)), form)
        if json and files.on_stdout:
            raise OptionError("--json and -o - would both print on standard output: give one of them")
        return files

    @property
    def on_stdout(self) -> bool:
        """Whether a file goes to standard output, so that nothing else may be printed there."""
        return STDOUT in self.files

    def suffixes(self, among: Collection[str]) -> set[str]:
        """Return those of the files' suffixes that are among these."""
        return {suffix_of(path, self.form, USUAL_SUFFIX) for path in self.files}.intersection(among)

    def any_of(self, suffixes: Collection[str]) -> bool:
        """Return whether one of the files has one of these suffixes."""
        return bool(self.suffixes(suffixes))

    def check_pages(self) -> None:
        """Check that pages can be written where one is asked for. Raises ``MissingPackageError``."""
        if self.any_of(PAGES):
            from wayfront_gui.features.page.document import bundle

            bundle()

    def check_system(self, crs: str | None) -> None:
        """Check that all files can have coordinates in a system. Raises ``OptionError`` and ``MissingPackageError``."""
        if crs is None:
            return
        from wayfront.network.geopackage import GEOPACKAGE
        from wayfront.network.projection import Projection
        from wayfront.results.layers import DEGREES_ALONE

        if not self.files:
            raise OptionError(f"--crs {crs} is for files: name one with -o, such as near{GEOPACKAGE}")
        Projection.of(crs)
        for suffix in sorted(self.suffixes(DEGREES_ALONE)):
            raise OptionError(f"a {suffix} file holds degrees alone: write {GEOPACKAGE}, or leave --crs out")

    def print(self, json: bool, record: Callable[[], Mapping[str, Any]], tables: Callable[[], Iterable[Table]]) -> None:
        """Print what was found, as JSON or as tables; nothing beside a file that goes to standard output."""
        if json:
            print_json(record())
        elif not self.on_stdout:
            print_tables(*tables())

    def write(self, write: Callable[[str], None]) -> None:
        """Write them all, as ``write_each`` does."""
        write_each(self.files, write, suffix_of(STDOUT, self.form, USUAL_SUFFIX))


@dataclass(frozen=True, slots=True)
class OutputArguments:
    """Which charts and tables are written."""

    output: list[str] | None = output_option("A chart (.png, .svg, .pdf, …) or a table (.csv, .json, .md)")
    form: str | None = format_option((*TEXTS, *CHARTS), USUAL_SUFFIX)

    def checked(self, *, json: bool) -> Outputs:
        """Return the files, checked before anything is opened. Raises ``OptionError`` and ``WriteError``."""
        return Outputs.checked(self.output, (*CHARTS, *TEXTS), self.form, json=json)


def refuse_looks(context: typer.Context, files: Outputs, *others: str) -> None:
    """Refuse how a chart looks (``--theme``, ``--scale``, ``others``) where it has no effect on any of the files.

    Raises ``OptionError``.
    """
    if not files.any_of(CHARTS):
        refuse_given(context, ("theme", "scale", *others), "it is for charts, and no --output is one")
    if not files.any_of(PICTURES):
        refuse_given(context, ("scale",), "it is for pictures made of pixels, and no --output is one")


def check_outputs(
    paths: Sequence[str] | None, suffixes: Sequence[str], form: str | None = None, usual: str = ""
) -> list[str]:
    """Return the paths of files that a command can write, all checked; ``-`` is standard output.

    ``form`` is what ``--format`` says of that, and ``usual`` its suffix without ``--format``. Raises ``OptionError``
    for an unknown suffix, a path given twice, or a format without ``-``, and ``WriteError``.
    """
    checked = [check_output(path, suffixes, form, usual) for path in paths or []]
    for index, path in enumerate(checked):
        if Path(path).resolve() in [Path(other).resolve() for other in checked[:index]]:
            raise OptionError(f"{path} is given twice as a file to write")
    if form is not None and STDOUT not in checked:
        raise OptionError("--format has no effect here: it says what -o - is, and a file's own name says it elsewhere")
    return checked


def check_output(path: str, suffixes: Sequence[str] = (), form: str | None = None, usual: str = "") -> str:
    """Return the path of a file that a command can write; ``-`` is standard output where ``usual`` is given.

    ``suffixes`` are the legal ends of its name; without any, all are. ``form`` and ``usual`` are as in
    ``check_outputs``. Raises ``OptionError`` for no name, another suffix or a picture where Qt is not installed,
    and ``WriteError`` where the folder is missing, either may not be written to, or it is a folder itself.
    """
    _check_name(path)
    suffix = suffix_of(path, form, usual)
    if suffixes and suffix not in suffixes:
        what = f"--format {form}" if path == STDOUT and usual else path
        raise OptionError(f"{what}: unknown suffix; this can be written as {', '.join(suffixes)}")
    if suffix in (*PICTURES, *DRAWINGS, *FILMS):
        require_qt()
    if path == STDOUT and usual:
        check_stdout(suffix)
    else:
        check_writable(path)
    return path


def suffix_of(path: str, form: str | None = None, usual: str = "") -> str:
    """Return the suffix of a file in small letters; that of ``-`` is the ``form`` asked for, or the ``usual`` one."""
    if path != STDOUT:
        return Path(path).suffix.lower()
    return usual if form is None else f".{form.lower().removeprefix('.')}"


def _check_name(path: str) -> None:
    if not path or "\0" in path:
        raise OptionError(f"what is written needs a name, not {path!r}")


def check_output_folder(path: str) -> Path:
    """Return a folder to write files into, created where it is missing.

    Raises ``OptionError`` for no name, and ``WriteError``.
    """
    _check_name(path)
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise WriteError(path, "it is a file, not a folder") from None
    except OSError as problem:
        raise WriteError(path, why_unwritten(problem)) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise WriteError(path, "the folder is read-only")
    return folder


def check_stdout(suffix: str) -> None:
    """Raise ``OptionError`` for a file of bytes that would go to a terminal."""
    if suffix not in READABLE and sys.stdout.isatty():
        raise OptionError(f"a {suffix} is not for a terminal: name a file with -o, or send it on with | or >")


# -------------------------------------------------------------------------------------------------------------- writing


def print_written(what: str, path: str) -> None:
    """Print where a file is, and what it is; nothing of what went to standard output."""
    if path != STDOUT:
        print_message(f"{what} written to {path}".strip())


def write_each(paths: Sequence[str], write: Callable[[str], None], stdout_suffix: str = "") -> None:
    """Write files, each whatever became of the others. Raises the last ``WriteError``; those before it are printed.

    ``-`` is written to standard output as a file of that suffix. Results are printed before this is called, so that a
    full disk does not lose them.
    """
    problems: list[WriteError] = []
    for path in paths:
        try:
            with file_for(path, stdout_suffix) as file:
                write(file)
        except WriteError as problem:
            problems.append(problem)
        else:
            print_written("", path)
    for earlier in problems[:-1]:
        print_message(str(earlier))
    if problems:
        raise problems[-1]


@contextmanager
def qt_for(path: str) -> Iterator[None]:
    """Keep a Qt application while a file is written, unless it is a table: those are written without Qt too."""
    application = None if path.lower().endswith(TEXTS) else start_qt()
    yield
    if application is not None:
        application.processEvents()


@contextmanager
def file_for(output: str, suffix: str) -> Iterator[str]:
    """Yield the path of a file to write: ``output``, or where that is ``-`` one with this suffix.

    That is sent to standard output when the block ends without an exception.
    """
    if output != STDOUT:
        yield output
        return
    folder = Path(tempfile.mkdtemp(prefix="wayfront-"))

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    with interrupts.cleaned_up_by(remove):
        try:
            path = folder / f"output{suffix}"
            yield str(path)
            with path.open("rb") as file:
                while piece := file.read(_PIECE):
                    _send(piece)
        finally:
            remove()


def _send(piece: bytes) -> None:
    if isinstance(sys.stdout, PlainStream):
        sys.stdout.write_bytes(piece)
    else:
        sys.stdout.buffer.write(piece)
        sys.stdout.flush()
