"""A page in a running JupyterLab: its source is dragged with the kernel's trees. Needs the extra ``notebook``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import wayfront
from browsers import free_port, installed, started
from wayfront_gui.features.page import document

pytest.importorskip("jupyterlab", reason="needs JupyterLab, of the extra notebook")
NETWORK = "synthetic:grid?columns=16&rows=15"
"""Too large to be drawn as a graph, whose source stays."""
TOKEN = "page"
LONGEST_S = 90


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """Start JupyterLab on a notebook that shows a map to drag on; its address."""
    if installed("chromium") is None:
        pytest.skip("needs chromium, which is not installed here")
    try:
        document.bundle()
    except ImportError as missing:
        pytest.skip(f"needs what pages bring: {missing}")
    source = f"import wayfront\nwayfront.open_network({NETWORK!r}).drag(0)"
    cell: dict[str, object] = {"cell_type": "code", "id": "one", "source": source}
    cell |= {"metadata": {}, "execution_count": None, "outputs": []}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "drag.ipynb").write_text(json.dumps(notebook), "utf-8")
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
    command += [f"--ServerApp.root_dir={tmp_path}", f"--port={port}", f"--IdentityProvider.token={TOKEN}"]
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, env={**os.environ, **own}, stdout=silent, stderr=silent)
    try:
        wait_for_server(f"http://127.0.0.1:{port}/api?token={TOKEN}", process)
        yield f"http://127.0.0.1:{port}/lab/tree/drag.ipynb?token={TOKEN}"
    finally:
        process.terminate()
        process.wait(timeout=LONGEST_S)


def wait_for_server(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + LONGEST_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            assert process.poll() is None, "JupyterLab has ended at once"
            assert time.monotonic() < until, "JupyterLab does not answer"
            time.sleep(0.1)


def test_a_source_is_dragged_with_the_kernels_trees(lab: str, tmp_path: Path) -> None:
    network = wayfront.open_network(NETWORK)
    node = 130
    expected = wayfront.prepare(network, device="cpu").tree(node)
    ask = (
        "const frame = document.querySelector('iframe[id^=wayfront-]');"
        "return await new Promise((resolve) => {"
        " const take = ({ data }) => {"
        "  if (data?.wayfront === given[1]) { removeEventListener('message', take); resolve(data); } };"
        " addEventListener('message', take); frame.contentWindow.postMessage(given[0], '*'); })"
    )
    with started("chromium", tmp_path / "browser") as browser, browser.tab(1200, 900) as tab:
        tab.open(lab)
        tab.wait_for("window.jupyterapp?.shell?.currentWidget?.context?.isReady")
        tab.wait_for(
            "window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.connectionStatus === 'connected'"
        )
        tab.run("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        tab.wait_for("document.querySelector('iframe[id^=wayfront-]')?.contentWindow !== undefined")
        until = time.monotonic() + LONGEST_S
        while tab.run(ask, {"wayfront": "source", "value": int(network.node_ids[node])}, "now")["trees"] < 1:
            assert time.monotonic() < until, "no tree has come from the kernel"
            time.sleep(0.2)
        tree = tab.run(ask, {"wayfront": "tree"}, "tree")
    assert tree["source"] == network.node_ids[node]
    assert tree["distances"] == expected.distances.tolist()
