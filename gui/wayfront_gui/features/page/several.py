"""Pages of several searches: what they share is there once. No Qt.

The heading is that of the first search, and its ``searches`` those of the others: ``roads`` is the number of an earlier
search on the same network, or their own; and what differs from that search's heading, or from the first's. A section of
search k is called "k name", and where that is not there it is that of the same search, or else the first one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wayfront_gui.features.page.content import Content, Opening
from wayfront_gui.features.race.state import Runner, lanes
from wayfront_gui.session.formatting import nodes_text
from wayfront_gui.session.replay import ReplayClock
from wayfront_gui.ui.translation import plural, translated, translated_message

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront_gui.map.scene import Scene

_OWN = ("graph", "code")
"""Sections that another network's search has for itself or not at all."""


def several(contents: Sequence[Content], roads: Sequence[int], shown: dict[str, Any]) -> Content:
    """Return one content of several; ``roads`` has of each the number of the first one on its network."""
    first, sections, others = contents[0], dict(contents[0].sections), []
    for number, (content, at) in enumerate(zip(contents[1:], roads[1:], strict=True), 1):
        alone = at == number
        base = first if alone else contents[at]
        differs = {
            key: value
            for key, value in content.heading.items()
            if key not in base.heading or base.heading[key] != value
        }
        others.append({"roads": at} | differs)
        for name, section in content.sections.items():
            if base.sections.get(name) != section or (alone and name in _OWN):
                sections[f"{number} {name}"] = section
    return Content(first.heading | {"searches": others} | shown, sections)


def race_of(shown: Sequence[tuple[Scene, Result]], opening: Opening) -> Content:
    """Return what a page holds of a race's recorded searches, each with a scene that shows it.

    Raises ``OptionError`` as ``Content.of`` does, and ``MemoryShortError``.
    """
    contents: list[Content] = []
    roads: list[int] = []
    for number, (scene, result) in enumerate(shown):
        earlier = (at for at, (_, other) in enumerate(shown[:number]) if other.network is result.network)
        roads.append(next(earlier, number))
        beside = contents[roads[-1]] if roads[-1] < number else None
        contents.append(Content.of(scene, result, opening, beside=beside))
    lanes_named = [{"lane": title} for title in named([result for _, result in shown])]
    contents = [Content(each.heading | lane, each.sections) for each, lane in zip(contents, lanes_named, strict=True)]
    title = translated(
        "{searches} · {metric} · {nodes}",
        searches=plural("{count:,} search", "{count:,} searches", len(shown)),
        metric=translated_message(shown[0][1].metric.name),
        nodes=nodes_text(shown[0][1].network.node_count),
    )
    return several(contents, roads, {"shows": "race", "subtitle": title})


def named(results: Sequence[Result]) -> list[tuple[str, str]]:
    """Return what searches beside each other are called, and in what each differs from the others."""
    clock = ReplayClock()
    return [(lane.title, lane.detail) for lane in lanes([Runner.of_result(each, clock) for each in results], clock)]
