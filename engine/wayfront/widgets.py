"""Ties a page in a notebook to the kernel: what the page asks for is answered, and what the kernel says is passed on.

The page itself is HTML that stays with the notebook, so it plays where no kernel is, as in one that was exported.
Beside it stands a widget without a face (anywidget, extra ``notebook``), which passes messages between the page's frame
and the kernel; without anywidget the page plays as an exported one does.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from wayfront.safe.errors import OptionError, WayfrontError


class Tree(NamedTuple):
    """The tree of a node: distances in raw weights, int [n], −1 without a way, and parents, int32 [n], −1 for none."""

    distances: NDArray[np.integer]
    parents: NDArray[np.int32]


Trees = Callable[[int], Tree]
"""Makes the tree of a node, by its number in the network; raises for what is none."""

# What a browser runs: the frame may be there later than the widget, and be replaced when its cell is drawn anew.
FRONT = """
export default {
  render({ model, el }) {
    el.style.display = "none";
    let frame = null;
    let served = false;
    const tell = (message) => frame?.contentWindow?.postMessage(message, "*");
    const fromPage = ({ source, data }) => {
      if (!frame || source !== frame.contentWindow || typeof data?.wayfront !== "string") return;
      if (data.wayfront === "want") model.send({ want: data.source });
      else if (data.wayfront === "now") {
        served = true;
        model.set("state", data);
        model.save_changes();
      }
    };
    const numbers = (view, Kind) => new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
    const fromKernel = (content, buffers) => {
      if (content.tell) tell(content.tell);
      else if (buffers?.length !== 2) tell({ wayfront: "given", source: content.given });
      else {
        const distances = numbers(buffers[0], content.wide ? Float64Array : Int32Array);
        const parents = numbers(buffers[1], Int32Array);
        tell({ wayfront: "given", source: content.index, ms: content.ms, distances, parents });
      }
    };
    const find = () => {
      const found = document.getElementById(model.get("frame"));
      if (found !== frame) {
        frame = found;
        served = false;
      }
      if (!served) tell({ wayfront: model.get("serves") ? "serve" : "state" });
    };
    addEventListener("message", fromPage);
    model.on("msg:custom", fromKernel);
    const finding = setInterval(find, 100);
    return () => {
      clearInterval(finding);
      removeEventListener("message", fromPage);
      model.off("msg:custom", fromKernel);
    };
  },
};
"""


class Link:
    """What ties one page to the kernel.

    ``frame`` is the id of its frame in the notebook's document. ``trees`` makes the trees of sources that are dragged
    in the page, None where it makes them itself or not at all.
    """

    def __init__(self, trees: Trees | None = None) -> None:
        self.frame: str = f"wayfront-{uuid4().hex}"
        self._trees = trees
        self._widget: Any = None

    @property
    def state(self) -> dict[str, Any]:
        """What the page said of itself last: step, target, source … ; empty before it is seen."""
        return {} if self._widget is None else dict(self._widget.state)

    def tell(self, message: str, value: Any) -> None:
        """Send the page a message. Raises ``OptionError`` before the page is shown by a notebook with a kernel."""
        if self._widget is None:
            raise OptionError("no notebook with a kernel shows this page: show it first")
        self._widget.send({"tell": {"wayfront": message, "value": value}})

    def show(self, bundle: dict[str, str]) -> None:
        """Show a page as media types in the running notebook, tied to the kernel where anywidget is there."""
        display = import_module("IPython.display").display  # whoever shows something in a notebook has it
        display(bundle, raw=True)
        kind = _widget_kind() if _has_kernel() else None
        if kind is None:
            return
        if self._widget is None:
            self._widget = kind(frame=self.frame, serves=self._trees is not None)
            self._widget.on_msg(self._answer)
        display(self._widget)

    def _answer(self, widget: Any, content: Any, _buffers: Any) -> None:
        """Answer what a page asks for; what is no question is passed over, since anybody may ask."""
        source = content.get("want") if isinstance(content, dict) else None
        if self._trees is None or type(source) is not int:
            return
        start = time.perf_counter_ns()
        try:
            tree = self._trees(source)
        except WayfrontError:
            widget.send({"given": source})
            return
        ms = (time.perf_counter_ns() - start) / 1e6
        wide = tree.distances.dtype != np.int32
        distances = np.ascontiguousarray(tree.distances, np.float64 if wide else np.int32)
        parents = np.ascontiguousarray(tree.parents, np.int32)
        widget.source = source
        widget.send({"index": source, "wide": wide, "ms": ms}, buffers=[distances.data, parents.data])


def _has_kernel() -> bool:
    """Return whether this runs in the kernel of a notebook, not in a plain interactive shell."""
    return "ipykernel" in sys.modules


@cache
def _widget_kind() -> Any:
    """Return the class of widgets, None without anywidget."""
    try:
        base: Any = import_module("anywidget").AnyWidget
        traits = import_module("traitlets")
    except ImportError:
        return None

    class Tie(base):
        """``source`` is the node whose tree was asked for last, ``state`` what the page says of itself."""

        _esm = FRONT
        frame = traits.Unicode().tag(sync=True)
        serves = traits.Bool().tag(sync=True)
        state = traits.Dict().tag(sync=True)
        source = traits.Int(-1)

    return Tie
