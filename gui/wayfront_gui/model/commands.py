"""The table of commands: menus, shortcuts, tooltips, the palette and the keyboard page are made from it. No Qt.

The commands that show and hide docks are not here; ``window.dock_table`` derives them from its table of docks.
"""

from __future__ import annotations

from collections.abc import Iterable

from wayfront.search.registry import SearchKind
from wayfront_gui.model.closures import RoadAction
from wayfront_gui.model.command import Command, without_key
from wayfront_gui.model.lesson_commands import LESSON
from wayfront_gui.model.replay_clock import WALK_HINTS, WALK_LABELS
from wayfront_gui.model.view_commands import VIEW, WHOLE_WINDOW
from wayfront_gui.translation import LANGUAGES, SYSTEM

MENUS = {
    "file": "&File",
    "edit": "&Edit",
    "search": "&Search",
    "roads": "R&oads",
    "replay": "&Replay",
    "race": "Ra&ce",
    "lesson": "&Lesson",
    "view": "&View",
    "help": "&Help",
}

FILE = (
    Command("file.new", "&New graph", "new_graph", ("Ctrl+N",), "Draw a graph of one's own, from nothing"),
    Command("file.open", "&Open…", "open_file", ("Ctrl+O",), "Open a road network or a recorded search"),
    Command("file.place", "Open p&lace…", "open_place", ("Ctrl+Shift+O",), "Download the roads of any place"),
    Command("file.catalogue", "Open c&atalogue…", "open_catalogue", (), "Download a part of the USA from DIMACS"),
    Command("file.coordinates", "Choose &coordinates…", "open_coordinates", (), "Take the map from a .co file"),
    Command(
        "file.network",
        "Save net&work…",
        "save_network",
        (),
        "Save nodes and arcs as an edge list, DIMACS, GraphML or .wayfront",
        separated=True,
    ),
    Command("file.picture", "&Save picture…", "save_picture", ("Ctrl+S",), "Save the map as it is now"),
    Command(
        "file.poster", "Save p&oster…", "save_poster", (), "Save a sheet with title, coordinates, legend and scale"
    ),
    Command("file.film", "Save &film…", "save_film", ("Ctrl+Shift+F",), "Film the search from first to last step"),
    Command("file.session", "Save sess&ion…", "save_session", (), "Save network, searches, view and colours as a file"),
    Command("file.trace", "Save &recorded search…", "save_trace", ("Ctrl+Shift+S",), "Save every step for a replay"),
    Command("file.timings", "&Export timings…", "export_timings", ("Ctrl+E",), "Save the timings as picture or table"),
    Command("file.pairs", "Export all &pairs…", "export_pairs", ("Ctrl+Shift+E",), "Save a table of all sources"),
    Command(
        "file.isochrones", "Export iso&chrones…", "export_isochrones", (), "Save areas as GeoJSON, or a table of them"
    ),
    Command(
        "file.plugins",
        "Pl&ug-ins…",
        "show_plugins",
        (),
        "Algorithms, formats and colours of your own: add a Python file",
        separated=True,
    ),
    Command(
        "file.reload_plugins",
        "Reload plu&g-ins",
        "reload_plugins",
        ("Ctrl+Shift+R",),
        "Load your own files again after a change; R then searches with them",
    ),
    Command(
        "file.reopen",
        "Reopen at s&tart",
        "reopen",
        (),
        "Begin with what was open: network, source, algorithm and view",
        checkable=True,
        separated=True,
    ),
    Command("file.quit", "&Quit", "quit", ("Ctrl+Q",), separated=True),
)
EDIT = (
    Command(
        "edit.undo",
        "&Undo",
        "undo",
        ("Ctrl+Z",),
        "Undo the last choice: source, target, closed roads, algorithm, options, colours",
    ),
    Command("edit.redo", "&Redo", "redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Make the undone choice again"),
    Command(
        "edit.graph",
        "&Draw graph",
        "draw_graph",
        ("Ctrl+D",),
        "Change a small graph: click for nodes, drag for arcs, type weights",
        checkable=True,
        separated=True,
    ),
    Command("edit.type", "&Type name or weight", "type_picked", ("F2",), "Type the picked node's name or arc's weight"),
    Command("edit.delete", "D&elete", "delete_picked", ("Delete",), "Delete the picked node or arc of the graph"),
)
SEARCH = (
    Command("search.run", "&Run", "run", ("R", "Ctrl+Return"), "Search from the source with what is chosen"),
    Command("search.cancel", "&Cancel", "cancel", ("Esc",), "Stop what runs, put the tool away, or clear the route"),
    Command("search.resume", "R&esume", "resume", ("Ctrl+R",), "Go on with a search for all pairs that was stopped"),
    Command(
        "search.one_tree",
        "&One tree",
        "choose_kind",
        ("Ctrl+1",),
        "Search from one source",
        argument=SearchKind.ONE_TREE,
        group="kind",
        separated=True,
    ),
    Command(
        "search.all_pairs",
        "All &pairs",
        "choose_kind",
        ("Ctrl+2",),
        "Search from every node",
        argument=SearchKind.ALL_PAIRS,
        group="kind",
    ),
    Command(
        "search.route",
        "One ro&ute",
        "choose_kind",
        ("Ctrl+3",),
        "Search from one source to one target",
        argument=SearchKind.ROUTE,
        group="kind",
    ),
    Command(
        "search.source",
        "&Source by node id…",
        "ask_source",
        ("Ctrl+G",),
        "Search from a node by its id",
        separated=True,
    ),
    Command("search.target", "Route &to node id…", "ask_target", ("Ctrl+T",), "Show the route to a node by its id"),
    Command(
        "search.further_target",
        "O&ne more target by node id…",
        "ask_further_target",
        ("Ctrl+Shift+T",),
        "Show the route to one more node, or no longer to a target",
    ),
    Command("search.farthest", "Route to the &farthest node", "route_to_farthest", ("X",), "Show the longest route"),
    Command(
        "search.depots",
        "&Where to put depots",
        "pick_depots",
        ("N",),
        "Click nodes on the map; the best of them for one, two or three depots are found",
        checkable=True,
        separated=True,
    ),
    Command("search.no_candidates", "Clear the can&didates", "clear_candidates", ("Shift+N",)),
    Command(
        "search.isochrones",
        "Is&ochrones",
        "show_isochrones",
        ("I",),
        "Bands of distance or time round the source, and clicks for further sources",
        checkable=True,
        separated=True,
    ),
    Command("search.one_centre", "Keep the f&irst source", "one_centre", ("Shift+I",), "Of isochrones"),
    Command("search.cut", "Prepare li&ve trees", "cut", (), "Cut the network, so that trees follow the mouse"),
    Command("search.no_route", "C&lear the route", "clear_route", ("Ctrl+Backspace",)),
    Command(
        "search.lay_out", "&Lay the network out", "lay_out", (), "Find a map for a network without one", separated=True
    ),
    Command(
        "search.growth",
        "How searches &grow…",
        "measure_growth",
        (),
        "Steps, relaxations and times over growing networks of a kind",
    ),
)
ROADS = (
    Command(
        "roads.close",
        "&Close roads",
        "choose_tool",
        ("C",),
        "Close the road clicked, or all dragged over; Shift closes one direction, the right button reopens",
        argument=RoadAction.CLOSE,
        checkable=True,
    ),
    Command(
        "roads.reopen",
        "&Reopen roads",
        "choose_tool",
        ("Shift+C",),
        "Reopen the closed road clicked, or all dragged over",
        argument=RoadAction.REOPEN,
        checkable=True,
    ),
    Command("roads.close_ids", "Close by &node ids…", "ask_road", ("Ctrl+L",), "Close a road by its ends' ids"),
    Command("roads.reopen_all", "Reopen &all", "reopen_all", ("Ctrl+Shift+C",), "Reopen every closed road"),
    Command(
        "roads.detours",
        "D&etour view",
        "show_detours",
        ("V",),
        "Colour nodes by how much farther closed roads made them",
        checkable=True,
        separated=True,
    ),
    Command(
        "roads.critical",
        "&Most critical road",
        "find_critical",
        ("K",),
        "Find the road near the pointer whose closure costs most",
    ),
    Command("roads.close_critical", "Close the mos&t critical road", "close_critical", ("Shift+K",)),
    Command("roads.open", "&Open closed roads…", "open_list", (), "Close the roads of a CSV table", separated=True),
    Command("roads.save", "&Save closed roads…", "save_list", (), "Save a CSV table, as --close-file takes it"),
)
REPLAY = (
    Command("replay.play", "&Play", "toggle_playing", ("Space",), "Play or pause"),
    Command("replay.back", "Step &back", "step_by", ("Left",), "One step back", argument="-1"),
    Command("replay.forward", "Step &forward", "step_by", ("Right",), "One step forward", argument="1"),
    Command("replay.far_back", "Ten steps back", "step_by", ("Ctrl+Left",), argument="-10"),
    Command("replay.far_forward", "Ten steps forward", "step_by", ("Ctrl+Right",), argument="10"),
    Command("replay.start", "To the &start", "go_to_start", ("Home",), "First step"),
    Command("replay.end", "To the &end", "go_to_end", ("End",), "Last step"),
    Command(
        "replay.next_bucket",
        "Next b&ucket",
        "next_bucket",
        ("]",),
        "Where the next bucket begins",
        argument="forward",
        separated=True,
    ),
    Command("replay.last_bucket", "Previous bucket", "next_bucket", ("[",), "Where a bucket began", argument="back"),
    Command("replay.next_mode", "Next &mode", "next_mode", ("}",), "Where the mode changes next", argument="forward"),
    Command("replay.last_mode", "Previous mode", "next_mode", ("{",), "Where the mode changed", argument="back"),
    Command("replay.slower", "S&lower", "change_speed", (",", "<"), "Half the speed", argument="-1", separated=True),
    Command("replay.faster", "F&aster", "change_speed", (".", ">"), "Twice the speed", argument="1"),
    Command("replay.reverse", "Back&ward", "play_backward", ("B",), "Play from the end to the start", checkable=True),
    Command("replay.loop", "&Loop", "loop", ("O",), "Begin again at the end", checkable=True),
    Command(
        "replay.timeline",
        "&Figures of every step",
        "show_timeline",
        ("G",),
        "Rows of frontier, relaxations and time over the slider",
        checkable=True,
        separated=True,
    ),
    *(
        Command(
            f"replay.by_{walk}",
            label,
            "walk",
            (str(index + 1),),
            WALK_HINTS[walk],
            argument=walk,
            group="walk",
            separated=index == 0,
        )
        for index, (walk, label) in enumerate(WALK_LABELS.items())
    ),
)
RACE = (
    Command("race.fill", "Race &four searches", "fill", ("Shift+R",), "Four searches that differ, from the source"),
    Command("race.add", "&Add a search", "add", ("A",), "Let one more search race; choose it in the Search panel"),
    Command("race.remove", "&Remove this search", "remove", ("Shift+A",), "The one that the panels show"),
    Command("race.next", "&Next search", "next", ("Ctrl+Tab",), "Show the next search of the race in the panels"),
    Command(
        "race.split",
        "&Split one map",
        "split",
        ("S",),
        "A strip of one map for each search, instead of a map for each",
        checkable=True,
        separated=True,
    ),
    Command(
        "race.difference",
        "&Difference",
        "show_difference",
        ("Shift+D",),
        "Colour where distances differ from those of the first search",
        checkable=True,
    ),
    Command(
        "race.two",
        "&Two in step",
        "show_two",
        ("Shift+S",),
        "The chosen search and another one side by side, step by step",
        separated=True,
    ),
    Command(
        "race.cut_out",
        "&Cut out a neighbourhood…",
        "ask_neighbourhood",
        ("Shift+X",),
        "The nodes nearest to the source as a small graph beside the map, searched in step with it",
    ),
    Command("race.film", "Save a &film of the race…", "save_film", (), "As MP4, WebM or GIF", separated=True),
    Command("race.leave", "&End the race", "leave", (), "Keep the search that the panels show", separated=True),
)
HELP = (
    Command("help.palette", "&Find a command…", "show_palette", ("Ctrl+K", "Ctrl+Shift+P"), "Every command by name"),
    Command("help.keyboard", "&Keyboard and mouse", "show_keyboard", ("F1", "?")),
    *(
        Command(
            f"help.language_{code}",
            name,
            "choose_language",
            (),
            "The language of all texts, from the next start on",
            argument=code,
            group="language",
            separated=code == SYSTEM,
        )
        for code, name in {SYSTEM: "Language of the system", **LANGUAGES}.items()
    ),
    Command("help.reset", "&Reset settings…", "reset_settings", (), "As at a first start", separated=True),
    Command("help.about", "&About wayfront", "show_about", (), "Versions, machine, licences", separated=True),
)


def all_commands(docks: Iterable[Command]) -> tuple[Command, ...]:
    """Return every command in the order of the menus, ``docks`` among those of View."""
    return (*FILE, *EDIT, *SEARCH, *ROADS, *REPLAY, *RACE, *LESSON, *VIEW, *docks, *WHOLE_WINDOW, *HELP)


def find_commands(commands: Iterable[Command], typed: str) -> list[Command]:
    """Return the commands in which every typed word begins some word of text, menu or hint, best first."""
    wanted = typed.lower().split()

    def matches(text: str) -> bool:
        words = text.lower().split()
        return all(any(_begins(word, part) for word in words) for part in wanted)

    # In English too: that is how documents and other people call them.
    found = [c for c in commands if matches(f"{c.plain_text} {c.about} {c.text.replace('&', '')} {c.menu} {c.hint}")]
    beginning = " ".join(wanted)

    def order(command: Command) -> tuple[bool, bool]:
        texts = [text.lower() for text in (command.plain_text, without_key(command.text))]
        return not any(text.startswith(beginning) for text in texts), not any(map(matches, texts))

    return sorted(found, key=order)


def _begins(word: str, part: str) -> bool:
    """Return whether a word begins as typed; one without spaces round it, as in Japanese, may do so inside."""
    return word.startswith(part) or (not part.isascii() and part in word)
