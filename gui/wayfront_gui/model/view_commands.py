"""The rows of the View menu in the table of commands. No Qt.

Those that show and hide docks are not here; ``window.dock_table`` derives them from its table of docks.
"""

from __future__ import annotations

from collections.abc import Mapping

from wayfront_gui.model.colour_names import COLOURS
from wayfront_gui.model.command import Command
from wayfront_gui.model.pairs import MEASURE_HINTS, MEASURE_LABELS


def colour_command(name: str) -> str:
    """Return the name of the command that chooses colours; those of plug-ins cannot have the name of another one."""
    return f"view.{name}" if name in COLOURS else f"view.colours_{name}"


def colour_commands(colours: Mapping[str, str]) -> tuple[Command, ...]:
    """Return a command for each of these colours, names with what they look like."""
    return tuple(
        Command(
            colour_command(name),
            f"Distances in {name}",
            "choose_colour_map",
            (),
            hint,
            argument=name,
            group="colour map",
            separated=name == next(iter(COLOURS)),
        )
        for name, hint in colours.items()
    )


VIEW = (
    Command("view.tree", "&Tree", "show_tree", ("T",), "Show the finished shortest-path tree", checkable=True),
    Command("view.fit", "&Fit the map", "fit", ("F", "Ctrl+0"), "Show the whole network", separated=True),
    Command("view.zoom_in", "Zoom &in", "zoom", ("+", "="), "Zoom in", argument="1.5"),
    Command("view.zoom_out", "Zoom &out", "zoom", ("-",), "Zoom out", argument="0.6667"),
    Command("view.left", "Move left", "pan", ("Shift+Left",), argument="left"),
    Command("view.right", "Move right", "pan", ("Shift+Right",), argument="right"),
    Command("view.up", "Move up", "pan", ("Shift+Up",), argument="up"),
    Command("view.down", "Move down", "pan", ("Shift+Down",), argument="down"),
    Command("view.swap_theme", "&Dark or light", "swap_theme", ("D",), "Change between dark and light", separated=True),
    Command("view.theme_auto", "Colours of the system", "choose_theme", argument="auto", group="theme"),
    Command("view.theme_dark", "Dark colours", "choose_theme", argument="dark", group="theme"),
    Command("view.theme_light", "Light colours", "choose_theme", argument="light", group="theme"),
    Command("view.theme_paper", "White paper, for print", "choose_theme", argument="paper", group="theme"),
    Command(
        "view.theme_projector",
        "Projector",
        "choose_theme",
        (),
        "Black on white with thick lines and large texts, for a wall in a lit room",
        argument="projector",
        group="theme",
    ),
    Command(
        "view.larger_text",
        "Lar&ger text",
        "change_text",
        ("Ctrl++", "Ctrl+="),
        "Larger texts everywhere: menus, panels, dialogs and the map, up to 250 %",
        argument="1",
        separated=True,
    ),
    Command(
        "view.smaller_text",
        "S&maller text",
        "change_text",
        ("Ctrl+-",),
        "Smaller texts everywhere, down to 80 %",
        argument="-1",
    ),
    Command("view.usual_text", "Text at 100 %", "change_text", ("Ctrl+Shift+0",), "As the system has it", argument="0"),
    *colour_commands(COLOURS),
    Command(
        "view.fit_colours",
        "Fit colours to the &view",
        "fit_colours",
        (),
        "From the nearest to the farthest node that is seen, so that a part of the map has all colours",
        checkable=True,
    ),
    *(
        Command(
            f"view.{measure}",
            f"All pairs by {label.lower()}",
            "choose_measure",
            (),
            MEASURE_HINTS[measure],
            argument=measure,
            group="measure",
            separated=index == 0,
        )
        for index, (measure, label) in enumerate(MEASURE_LABELS.items())
    ),
    Command("view.matrix", "Distance &matrix", "show_matrix", ("M",), "All pairs of a small network", checkable=True),
    Command(
        "view.names",
        "&Names",
        "show_layer",
        ("W",),
        "Names of roads and, where the file has them, of places and waters",
        argument="names",
        checkable=True,
        separated=True,
    ),
    Command(
        "view.areas",
        "Water and par&ks",
        "show_layer",
        ("Shift+W",),
        "Water, parks and woods where the file has them",
        argument="areas",
        checkable=True,
    ),
    Command(
        "view.tiles",
        "&Background tiles",
        "show_layer",
        (),
        "Pictures of OpenStreetMap's map behind the roads, fetched from its server for what you look at",
        argument="tiles",
        checkable=True,
    ),
    Command(
        "view.graph",
        "Small networks as &graphs",
        "show_layer",
        ("Shift+G",),
        "Networks of up to 200 nodes as discs and arrows, with weights and the distance at every node",
        argument="graph",
        checkable=True,
    ),
)
WHOLE_WINDOW = (
    Command("view.panels", "Hide the &panels", "hide_panels", ("P",), "The map alone", checkable=True),
    Command(
        "view.present",
        "P&resent",
        "present",
        ("F5",),
        "The map on the whole screen with large captions; every key works, Esc goes back",
        checkable=True,
    ),
    Command("view.full_screen", "F&ull screen", "full_screen", ("F11",), checkable=True),
)
"""The end of the View menu, after the commands of the docks."""
