"""Searches that play in the documentation: one for each algorithm, nine side by side, and a city to drag in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape

import wayfront
from wayfront.opening import open_network
from wayfront.results.result import SearchKind
from wayfront.safe.errors import DeviceError, MissingPackageError
from wayfront.searching.registry import algorithms
from wayfront.searching.result_file import load_trace
from wayfront_gui.features.page.document import bundle, digest
from wayfront_gui.resources import BUNDLED, RECORDED, asset

CITY = "city"
NINE = "nine-searches"
SMALL = "synthetic:city?nodes=2000"
"""The network of algorithms: a page takes 0.2 MB, and its search a moment to record."""
SIDE_BY_SIDE = (
    *("dijkstra", "dijkstra-heap", "bidirectional", "a-star", "bellman-ford", "bellman-ford-queue"),
    *("delta-stepping", "near-far", "dissection"),
)


def searches() -> dict[str, str]:
    """Return pages by the names of their files; none where what pages bring was not built."""
    try:
        return dict(_searches())
    except MissingPackageError as missing:
        print(f"documentation without searches that play: {missing}", file=sys.stderr)
        return {}


def _searches() -> Iterator[tuple[str, str]]:
    network = open_network(SMALL)
    titles, pages = {}, {}
    far = wayfront.search(network, 0, "dijkstra", "cpu").farthest
    for declared in algorithms():
        if declared.kind not in (SearchKind.ONE_TREE, SearchKind.ROUTE):
            continue
        target = far if declared.kind is SearchKind.ROUTE else None
        try:
            result = wayfront.search(network, 0, declared.name, "cpu", trace=True, target=target)
        except DeviceError:  # it needs a card
            continue
        titles[declared.name], pages[declared.name] = declared.title, result.show(theme="dark").html
    yield from pages.items()
    yield NINE, side_by_side([(titles[name], pages[name]) for name in SIDE_BY_SIDE])
    city = open_network(str(asset(BUNDLED)))
    yield CITY, load_trace(asset(RECORDED), city).show(theme="dark", live=True).html


def frame(name: str, title: str, height: int = 360) -> str:
    """Return HTML that shows a page and plays it while it is seen."""
    address = f"searches/{name}.html?embed&play&loop&theme=auto"
    style = f"width:100%;height:{height}px;border:0;border-radius:6px"
    return f'<iframe src="{escape(address)}" title="{escape(title)}" loading="lazy" style="{style}"></iframe>'


# ------------------------------------------------------------------------------------------------- nine on one page

_STYLE = """
:root { color-scheme: dark; --ground: #070a0f; --ink: #e6ebf2; --line: #2a3342; --accent: #ffbe6e; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.4 system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center;
  padding: 10px 16px; background: var(--ground); border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 18px; }
button, select { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 6px;
  padding: 6px 12px; min-height: 36px; }
select { background: var(--ground); }
button:focus-visible, select:focus-visible, input:focus-visible { outline: 2px solid var(--accent); }
input { flex: 1 1 160px; accent-color: var(--accent); min-height: 36px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(max(300px, 30%), 1fr));
  gap: 12px; padding: 12px; }
figure { margin: 0; }
figcaption { padding: 4px 2px; }
iframe { width: 100%; aspect-ratio: 4 / 3; border: 1px solid var(--line); border-radius: 8px; }
"""
_SCRIPT = """
const frames = [...document.querySelectorAll("iframe")];
const tell = (wayfront, value) => {
  for (const frame of frames) frame.contentWindow.postMessage({ wayfront, value }, "*");
};
const play = document.getElementById("play");
const share = document.getElementById("share");
let playing = false;
const show = (now) => {
  playing = now;
  play.textContent = playing ? "Pause" : "Play";
};
play.addEventListener("click", () => {
  tell(playing ? "pause" : "play");
  show(!playing);
});
share.addEventListener("input", () => {
  tell("at", share.value + "%");
  show(false);
});
document.getElementById("tree").addEventListener("click", () => {
  tell("at", "tree");
  show(false);
});
document.getElementById("walk").addEventListener("change", ({ target }) => tell("walk", target.value));
addEventListener("message", ({ source, data }) => {
  if (data?.wayfront !== "now" || source !== frames[0].contentWindow) return;
  if (playing) share.value = 100 * data.fraction;
  if (playing && !data.playing) show(false);
});
setInterval(() => {
  if (playing) frames[0].contentWindow.postMessage({ wayfront: "state" }, "*");
}, 250);
"""


def side_by_side(pages: list[tuple[str, str]]) -> str:
    """Return one file with pages under their titles, led together; it asks nobody for anything, as they do."""
    script, style = bundle()
    policy = (
        f"default-src 'none'; script-src '{digest(_SCRIPT)}' '{digest(script)}'; "
        f"style-src '{digest(_STYLE)}' '{digest(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    figures = "".join(
        f'<figure><figcaption>{escape(title)}</figcaption><iframe sandbox="allow-scripts" title="{escape(title)}" '
        f'srcdoc="{escape(page)}"></iframe></figure>'
        for title, page in pages
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Nine searches</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1>Nine searches from one source</h1>
<button type="button" id="play">Play</button>
<input type="range" id="share" min="0" max="100" step="0.1" value="0" aria-label="How far the searches are">
<label>By <select id="walk"><option>step</option><option>time</option><option>distance</option></select></label>
<button type="button" id="tree">Trees</button>
</header>
<main>{figures}</main>
<script>{_SCRIPT}</script>
</body>
</html>
"""
