"""The texts of a page, in the language that it is made in. No Qt."""

from __future__ import annotations

from wayfront_gui.ui.translation import marked, translated

_TEXTS = (
    marked("1 node"),
    marked("1 step"),
    marked("Back"),
    marked("By distance"),
    marked("By step"),
    marked("By step, by time, by distance"),
    marked("By time"),
    marked("Change"),
    marked("Choose"),
    marked("Click them on the map, or write their names; then show the answer."),
    marked("Drop the target"),
    marked("First and last step"),
    marked("First step"),
    marked("Last step"),
    marked("Map of {title}: {subtitle}"),
    marked("Moment {at} of {all}"),
    marked("Move the map"),
    marked("Next"),
    marked("No way leads to node {id}"),
    marked("Node"),
    marked("Node {id}"),
    marked("Not quite. The answer: {right}"),
    marked("One step back"),
    marked("One step forward"),
    marked("One step; with Ctrl ten"),
    marked("Options"),
    marked("Pause"),
    marked("Play"),
    marked("Play or pause"),
    marked("Pseudo-code"),
    marked("Rank"),
    marked("Repeat"),
    marked("Replay"),
    marked("Right: exactly these {count} nodes."),
    marked("Right: exactly this node."),
    marked("Right: {right}"),
    marked("Route to node"),
    marked("Route to node {id}: {distance}, {nodes}"),
    marked("Search or finished tree"),
    marked("Share of all"),
    marked("Show"),
    marked("Show all"),
    marked("Show the answer"),
    marked("Slower and faster"),
    marked("Speed"),
    marked("Step"),
    marked("Take back node {id}"),
    marked("The answer: {right}"),
    marked("The next step expands: {nodes}"),
    marked("Theme"),
    marked("There is no node {id}."),
    marked("Tree"),
    marked("Trips"),
    marked("Zoom in"),
    marked("Zoom in and out, show all"),
    marked("Zoom out"),
    marked("first reached in step {step}"),
    marked("frontier"),
    marked("not reached"),
    marked("step"),
    marked("step {step} of {count}"),
    marked("traced time"),
    marked("Source at node"),
    marked("source"),
    marked("reached"),
    marked("farthest"),
    marked("time of the tree"),
    marked("{count} nodes"),
    marked("{count} steps"),
    marked("{place}nd"),
    marked("{place}rd"),
    marked("{place}st"),
    marked("{place}th"),
    marked("{rank} of {roads} roads"),
    marked("{right} right, {wrong} wrong, {missed} missed"),
    marked("{step} of {count}"),
    marked("Difference"),
    marked("Colour where distances differ from those of the first search"),
    marked("difference of the {distance}"),
    marked("differs at {nodes} by up to {most}"),
    marked("no difference"),
    marked("only one reaches {nodes}"),
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


_FIELDS = (
    *("title", "subtitle", "id", "distance", "most", "count", "nodes", "step", "at", "all", "place", "rank", "roads"),
    *("right", "wrong", "missed"),
)
