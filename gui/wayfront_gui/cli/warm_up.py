"""``wayfront warm-up``: compile all kernels beforehand, so that no search, file or map has to wait for that."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from threading import Event
from typing import TYPE_CHECKING

from wayfront.errors import OptionError
from wayfront.options import AUTO
from wayfront_gui.cli import compiling_notice, engine_calls
from wayfront_gui.cli.arguments import DevicesOption, JsonOption
from wayfront_gui.cli.console import cancel_on_interrupt, facts_table, print_json, print_tables, progress_bar

if TYPE_CHECKING:
    from wayfront.search.warming import Task

PATIENCE_S = 60.0
"""After Ctrl-C the kernel that is being compiled is waited for: it is kept, and the same command goes on behind it."""


def warm_up(devices: DevicesOption = AUTO, json: JsonOption = False) -> None:
    """Compile all kernels now, before they are first used.

    They are kept, so this is done once on a machine, and after an update.
    """
    chosen = engine_calls.choose_devices(devices)
    from wayfront.devices import describe_device
    from wayfront_gui.cli.declared import declared

    if any(describe_device(name).exclusive for name in chosen):
        raise OptionError("the simulator compiles nothing: it runs kernels as Python; name cpu or cuda")
    compiling_notice.stop()  # this is what the command is for
    with cancel_on_interrupt(PATIENCE_S) as cancel:
        seconds = _compile(list(_tasks(chosen)), cancel)
    declared()  # which is kept, so that 'wayfront list' and completion answer at once
    if json:
        print_json({"devices": chosen, "seconds": seconds})
        return
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:3]
    facts = {
        "compiled for": ", ".join(chosen),
        "parts": f"{len(seconds)} in {sum(seconds.values()):,.1f} s",
        "longest": ", ".join(f"{name} {seconds[name]:,.1f} s" for name in slowest),
    }
    print_tables(facts_table("All kernels are ready", facts))


def _tasks(devices: Sequence[str]) -> Iterator[Task]:
    from wayfront.search.warming import Task, reader_tasks, search_tasks
    from wayfront_gui.scene.kernel_warmup import warm_up as draw

    for device in devices:
        yield from search_tasks(device)
    yield from reader_tasks()
    yield Task("the map", lambda _cancel: draw())


def _compile(tasks: Sequence[Task], cancel: Event) -> dict[str, float]:
    """Run the tasks, showing progress, and return the seconds of each."""
    seconds: dict[str, float] = {}
    with progress_bar() as show:
        for number, task in enumerate(tasks):
            show(f"compiling {number + 1} of {len(tasks)}: {task.name}", number / len(tasks))
            begin = time.perf_counter()
            task.run(cancel)
            seconds[task.name] = time.perf_counter() - begin
    return seconds
