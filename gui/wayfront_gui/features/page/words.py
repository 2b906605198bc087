"""The texts of a page, in the language that it is made in. No Qt."""

from __future__ import annotations

from wayfront_gui.ui.translation import marked, translated

_TEXTS = (
    marked("1 node"),
    marked("By distance"),
    marked("By step"),
    marked("By step, by time, by distance"),
    marked("By time"),
    marked("Drop the target"),
    marked("First and last step"),
    marked("First step"),
    marked("Last step"),
    marked("Map of {title}: {subtitle}"),
    marked("Move the map"),
    marked("No way leads to node {id}"),
    marked("Node {id}"),
    marked("One step back"),
    marked("One step forward"),
    marked("One step; with Ctrl ten"),
    marked("Options"),
    marked("Pause"),
    marked("Play"),
    marked("Play or pause"),
    marked("Repeat"),
    marked("Replay"),
    marked("Route to node"),
    marked("Route to node {id}: {distance}, {nodes}"),
    marked("Search or finished tree"),
    marked("Show"),
    marked("Show all"),
    marked("Slower and faster"),
    marked("Speed"),
    marked("Step"),
    marked("Theme"),
    marked("There is no node {id}."),
    marked("Tree"),
    marked("Zoom in"),
    marked("Zoom in and out, show all"),
    marked("Zoom out"),
    marked("first reached in step {step}"),
    marked("frontier"),
    marked("not reached"),
    marked("step"),
    marked("traced time"),
    marked("Source at node"),
    marked("source"),
    marked("reached"),
    marked("farthest"),
    marked("time of the tree"),
    marked("{count} nodes"),
    marked("{step} of {count}"),
)
"""What ``web/src`` shows by these texts."""
_THEMES = {
    "dark": marked("Dark"),
    "light": marked("Light"),
    "paper": marked("Paper"),
    "projector": marked("Projector"),
}


def words() -> dict[str, str]:
    """Return every text of a page in the present language by its English one; themes by ``theme`` and their names."""
    # Fields are filled in by the page.
    texts = {text: translated(text, **{name: f"{{{name}}}" for name in _FIELDS}) for text in _TEXTS}
    return texts | {f"theme {name}": translated(text) for name, text in _THEMES.items()}


_FIELDS = ("title", "subtitle", "id", "distance", "count", "nodes", "step")
