"""Faults of a card, as its driver reports them: one sentence, memory let go, and a card that is not touched again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Event
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import device_info, random_arcs
from wayfront import devices as device_list
from wayfront.devices import choose_device, devices, open_device
from wayfront.devices.cpu import CpuDevice
from wayfront.devices.cuda import LAUNCHES, CudaDevice
from wayfront.devices.device import Ability, Body, Check, no_check
from wayfront.devices.faults import explain, explained
from wayfront.safe.errors import (
    DeviceError,
    DeviceLostError,
    DeviceMemoryError,
    KernelError,
    OptionError,
)
from wayfront.searching import execution
from wayfront.searching import run as device_network
from wayfront.searching.run import network_on, require_room

NARROW = np.dtype(np.int32)


def raised(name: str, module: str, text: str) -> Exception:
    """Return an exception as a package that is not here would raise it."""
    kind = type(name, (Exception,), {"__module__": module})
    error: Exception = kind(text)
    return error


def from_driver(status: str) -> Exception:
    return raised("CudaAPIError", "numba.cuda.cudadrv.driver", f"[2] Call to cuMemAlloc results in CUDA_ERROR_{status}")


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (from_driver("OUT_OF_MEMORY"), DeviceMemoryError, "cuda:1 (Card) is short of memory"),
        (
            from_driver("ILLEGAL_ADDRESS"),
            DeviceLostError,
            "a kernel failed on cuda:1 (Card) (CUDA_ERROR_ILLEGAL_ADDRESS)",
        ),
        (from_driver("LAUNCH_FAILED"), DeviceLostError, "a kernel failed on"),
        (from_driver("LAUNCH_TIMEOUT"), DeviceLostError, "a kernel failed on"),
        (from_driver("ECC_UNCORRECTABLE"), DeviceLostError, "cuda:1 (Card) was lost (CUDA_ERROR_ECC_UNCORRECTABLE)"),
        (from_driver("NO_DEVICE"), DeviceLostError, "was lost"),
        (from_driver("INVALID_PTX"), KernelError, "cannot run a kernel of this search (CUDA_ERROR_INVALID_PTX)"),
        (from_driver("LAUNCH_OUT_OF_RESOURCES"), KernelError, "another algorithm, or the CPU"),
        (
            raised("CUDAError", "cuda.core._utils.cuda_utils", "CUDA_ERROR_MISALIGNED_ADDRESS: not\naligned"),
            DeviceLostError,
            "a kernel failed",
        ),
        (raised("NvvmError", "numba.cuda.cudadrv.error", "bad\nIR"), KernelError, "(NvvmError: bad IR)"),
        (raised("LinkerError", "numba.cuda.cudadrv.driver", "x" * 900), KernelError, "LinkerError: xxx"),
        (raised("CudaSupportError", "numba.cuda.cudadrv.error", "no driver"), KernelError, "no driver"),
        (DeviceError("the CUDA driver refused cuGraphLaunch: CUDA_ERROR_OUT_OF_MEMORY"), DeviceMemoryError, "short of"),
        (MemoryError(), DeviceMemoryError, "this machine has not enough memory"),
    ],
    ids=str,
)
def test_a_fault_is_one_sentence_that_says_what_where_and_what_to_do(
    error: Exception, kind: type[DeviceError], words: str
) -> None:
    fault = explain(error, "cuda:1", "Card")
    assert type(fault) is kind
    assert words in str(fault)
    assert "\n" not in str(fault)
    assert len(str(fault)) < 320
    assert "choose" in str(fault) or "close" in str(fault)


@pytest.mark.parametrize("error", [OptionError("x"), ValueError("x"), DeviceError("dijkstra runs on cpu"), KeyError(1)])
def test_what_is_no_fault_of_a_card_stays_as_it_is(error: Exception) -> None:
    assert explain(error, "cuda:0", "Card") is None
    with pytest.raises(type(error)), explained("cuda:0", "Card"):
        raise error


class FaultyCard(CpuDevice):
    """The CPU as a card that fails at one of its launches, with memory of its own."""

    id = "cuda:0"
    memory = "a card"

    def __init__(self, error: Exception | None, at: int) -> None:
        super().__init__(device_info("cuda:0", "Card", available=True))
        self._error, self._at = error, at
        self.arrays: list[weakref.ref[Any]] = []

    def reserve(self, cancel: Event | None) -> AbstractContextManager[None]:
        return explained(self.id, self.name, self._give_up)

    def _give_up(self, why: str) -> None:
        self.why_unusable = why

    def put(self, array: Any) -> Any:
        return self._noted(array.copy())

    def empty(self, size: int, dtype: Any) -> Any:
        return self._noted(np.zeros(size, dtype))

    def _noted(self, array: Any) -> Any:
        self.arrays.append(weakref.ref(array))
        return array

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        launch = super().prepare(body, block, check)

        def counted(*arguments: Any) -> None:
            self._at -= 1
            if self._at == 0:
                assert self._error is not None
                raise self._error
            launch(*arguments)

        return counted


@pytest.mark.parametrize("at", [1, 20, 300])
def test_running_out_of_memory_lets_go_what_the_search_held(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    card = FaultyCard(from_driver("OUT_OF_MEMORY"), at)
    monkeypatch.setattr(execution, "open_device", lambda *_name, **_options: card)
    network = random_arcs(500, 2000, 9, 1)
    with pytest.raises(DeviceMemoryError, match="choose the CPU or a smaller network") as caught:
        wayfront.search(network, 0, "relax-update", "cuda", trace=True)
    gc.collect()
    assert caught.value.__suppress_context__
    # The error is still held here, as a window that shows it holds it.
    assert [ref for ref in card.arrays if ref() is not None] == []
    assert not card.why_unusable
    assert wayfront.search(network, 0, "near-far", "cuda", runs=0, verify=True).verified


def test_a_failed_kernel_is_reported_and_the_processor_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    card = FaultyCard(from_driver("ILLEGAL_ADDRESS"), 30)
    network = random_arcs(500, 2000, 9, 1)
    with monkeypatch.context() as patch:
        patch.setattr(execution, "open_device", lambda *_name, **_options: card)
        with pytest.raises(DeviceLostError, match="choose the CPU"):
            wayfront.search(network, 0, "relax-update", "cuda", trace=True)
    assert card.why_unusable.startswith("a kernel failed on cuda:0 (Card)")
    assert wayfront.search(network, 0, "relax-update", "cpu", runs=0, verify=True).verified


class Context:
    """What a card's context does of interest here: it defers cleaning up, and fails at every other call."""

    def __init__(self) -> None:
        self.deferred = 0

    @contextmanager
    def defer_cleanup(self) -> Iterator[None]:
        self.deferred += 1
        yield
        self.deferred -= 1


def make_card() -> CudaDevice:
    """Return a card without a driver behind it."""
    card = CudaDevice.__new__(CudaDevice)
    super(CudaDevice, card).__init__(device_info("cuda:0", "Card", available=True), LAUNCHES)
    card._context = Context()
    card._deferred = ExitStack()
    return card


def test_a_spoiled_card_is_listed_as_such_and_never_touched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    card, found = make_card(), (device_info("cpu", "C", available=True), device_info("cuda:0", "Card", available=True))
    monkeypatch.setattr(device_list, "_find_devices", lambda: found)
    monkeypatch.setattr(device_list, "_open", {("cuda:0", 1): card})
    assert choose_device("auto").id == "cuda:0"
    with pytest.raises(DeviceLostError), card.reserve(None):
        raise from_driver("LAUNCH_FAILED")
    assert card._context.deferred == 1, "nothing is freed any more, now or at exit"
    listed = devices()[1]
    assert not listed.available
    assert "a kernel failed on cuda:0 (Card)" in listed.why_not
    assert choose_device("auto").id == "cpu"
    with pytest.raises(DeviceError, match="cannot run here: a kernel failed"):
        open_device("cuda")
    entered = False
    with pytest.raises(DeviceLostError), card.reserve(None):
        entered = True
    assert not entered
    card._keep_all()  # as at exit: no call of the driver


def test_running_out_of_memory_does_not_spoil_a_card() -> None:
    card = make_card()
    with pytest.raises(DeviceMemoryError), card.reserve(None):
        raise from_driver("OUT_OF_MEMORY")
    assert not card.why_unusable
    with card.reserve(None):
        pass


def test_a_network_too_large_for_a_card_is_refused_before_anything_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_network, "ALWAYS_FREE_BYTES", 0)
    network, card = random_arcs(1000, 5000, 9, 1), FaultyCard(None, 0)
    card.abilities = Ability.KERNELS
    metric = network.metrics[0]
    arrays = network.offsets.nbytes + network.targets.nbytes + metric.weights.nbytes + 8 * 1000
    for traced, more in ((False, 13_000), (True, 13_000 + 16_000)):
        monkeypatch.setattr(card, "free_bytes", lambda more=more: arrays + more - 1, raising=False)
        with pytest.raises(
            DeviceMemoryError, match=r"drawn takes at least 0.0 GB on cuda:0 \(Card\), and 0.0 GB are free"
        ):
            require_room(card, network, metric, NARROW, traced=traced)
        monkeypatch.setattr(card, "free_bytes", lambda more=more: arrays + more)
        require_room(card, network, metric, NARROW, traced=traced)
    assert card.arrays == []
    network_on(card, network, metric)
    monkeypatch.setattr(card, "free_bytes", lambda: 13_000)
    require_room(card, network, metric, NARROW, traced=False)  # what is there already takes nothing more
    card.abilities |= Ability.HOST_LOOPS
    network.forget(" in a card")
    require_room(card, network, metric, NARROW, traced=False)  # the processor reads arrays where they lie


def test_the_processor_without_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: Any) -> Any:
        raise MemoryError

    network = random_arcs(50, 200, 9, 1)
    monkeypatch.setattr(CpuDevice, "empty", fail)
    with pytest.raises(DeviceMemoryError, match="this machine has not enough memory for this search"):
        wayfront.search(network, 0, "dijkstra", "cpu", runs=0)


def test_a_lost_card_is_given_up_before_what_a_search_held_is_let_go() -> None:
    """What is let go is freed on the card, which would fail."""
    order: list[str] = []

    class OnCard:
        def __del__(self) -> None:
            order.append("let go")

    def fail() -> None:
        held = OnCard()
        assert held
        raise from_driver("ILLEGAL_ADDRESS")

    with pytest.raises(DeviceLostError), explained("cuda:0", "Card", lambda _why: order.append("given up")):
        fail()
    gc.collect()
    assert order == ["given up", "let go"]
