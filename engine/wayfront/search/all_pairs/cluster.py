"""Reach a Dask scheduler, or start one with workers on this machine: one for each card, or each group of cores."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wayfront.devices import Ability, choose_device, devices
from wayfront.errors import DeviceError, OptionError
from wayfront.search.all_pairs.worker import DEVICE_VARIABLE

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"

REACHED_WITHIN_S = 30.0
"""How long a scheduler, and then its first worker, or all that this machine starts, are waited for."""


def local_devices(device: str, threads: int) -> list[str]:
    """Return the device of each worker that ``local`` starts: every card, or the CPU once for each group of cores.

    ``auto`` and ``cuda`` are every card; ``cuda:1`` is that one alone. Raises ``DeviceError``, and ``OptionError`` for
    the simulator.
    """
    chosen = choose_device(device)
    if chosen.exclusive:
        raise OptionError(f"{chosen.id} runs in one process alone: leave --scheduler out")
    if Ability.HOST_LOOPS in chosen.abilities:
        return [chosen.id] * max(1, chosen.threads // threads)
    if device == chosen.id:
        return [chosen.id]
    return [info.id for info in devices() if info.available and Ability.GRID_BARRIER in info.abilities]


@contextmanager
def connect(scheduler: str, device: str, threads: int) -> Iterator[Client]:
    """Yield a client of the scheduler at an address, or of ``local`` workers, which end with the context.

    Raises ``OptionError`` where Dask is not installed, and ``DeviceError`` where no scheduler or worker answers.
    """
    try:
        import distributed
    except ImportError:
        raise OptionError(
            "spreading sources over workers takes Dask: install the extra 'cluster' (pip install 'wayfront[cluster]')"
        ) from None
    if scheduler == LOCAL:
        ids = local_devices(device, threads)
        with local_cluster(ids) as cluster, distributed.Client(cluster) as client:
            yield _with_workers(client, scheduler, len(ids))
        return
    try:
        client = distributed.Client(scheduler, timeout=REACHED_WITHIN_S, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise DeviceError(f"no scheduler answers at {scheduler} ({problem}): start one with 'dask scheduler'") from None
    with client:
        yield _with_workers(client, scheduler)


def local_cluster(device_ids: list[str]) -> Any:
    """Return a cluster of processes on this machine, one for each device id, which a process that dies is restarted in.

    Its connections are encrypted, with keys that nobody else has: who reaches a scheduler can run anything there.
    """
    from distributed import Nanny, Scheduler, Security, SpecCluster

    security = Security.temporary()
    shared = {"host": "127.0.0.1", "security": security}
    workers = {
        index: {
            "cls": Nanny,
            "options": {
                **shared,
                "nthreads": 1,
                "memory_limit": 0,
                "dashboard": False,
                "silence_logs": logging.CRITICAL,
                "env": {DEVICE_VARIABLE: device_id},
            },
        }
        for index, device_id in enumerate(device_ids)
    }
    return SpecCluster(
        workers=workers,
        scheduler={"cls": Scheduler, "options": {**shared, "dashboard": False}},
        security=security,
        silence_logs=logging.CRITICAL,
    )


def _with_workers(client: Client, scheduler: str, count: int = 1) -> Client:
    """Return the client once so many workers are there, or all that came. Raises ``DeviceError`` where none comes."""
    try:
        client.wait_for_workers(count, timeout=REACHED_WITHIN_S)
    except TimeoutError:
        if client.nthreads():
            return client
        raise DeviceError(
            f"the scheduler at {scheduler} has no worker: start one for each card or group of cores with "
            "'dask worker ADDRESS --nthreads 1'"
        ) from None
    return client
