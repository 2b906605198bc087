"""What stands below the help of every command: lines that can be typed as they are, with files of one's own."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "window": ("city.gr --source 7 -a near-far --theme light --full-screen", "ny.wftrace"),
    "solve": (
        "NY.gr.gz --source 1 -a near-far --option delta=5000 --verify",
        'porto.osm.pbf --source "Rua Formosa" --target 41.14,-8.61',
        "porto.osm.pbf --source Foz --target Bonfim -o way.gpx",
        "NY.gr.gz --source 1 -o - | head",
    ),
    "all-pairs": ("city.wayfront --sources 1000 --verify -o sources.csv", "town.gr --matrix town.npy"),
    "list": ("--json",),
    "explain": ("delta-stepping",),
    "info": ("porto.osm.pbf --simplify", "'synthetic:grid?columns=40&rows=30' --json"),
    "fetch": ("dimacs:NY", "'place:Porto, Portugal' --network-type walk", "place:41.15,-8.61 --radius 2000"),
    "data": ("remove dimacs:NY",),
    "render": (
        "NY.gr.gz --source 1 --at 0.5 --theme light -o half-way.png",
        "NY.gr.gz --source 1 --seconds 12 --loop -o film.mp4",
        "ny.wftrace --poster gallery --colours dusk -o poster.pdf",
    ),
    "race": (
        "NY.gr.gz -a dijkstra,near-far -o race.mp4 -o times.csv",
        "city.wayfront --target 30000 --split --at 0.5 -o race.png",
    ),
    "lesson": ("dijkstras-ball", "mine.toml -o handout.pdf"),
    "save": ("porto.osm.pbf porto.wayfront --simplify",),
    "compare": (
        "NY.gr.gz -a dijkstra,near-far -o times.png -o times.csv",
        "NY.gr.gz -a near-far --option delta=1000..9000/5 -o a.svg",
        "NY.gr.gz --save before.json",
        "NY.gr.gz --against before.json",
    ),
    "growth": (
        "grid -a dijkstra-heap,near-far --to 262144 -o growth.svg",
        "'rmat?degree=16' --option near-far:delta=5000",
    ),
    "reproduce": ("E --data papers -o e.md", "D --table figure --from measured.json -o figures.svg"),
    "benchmark": ("search NY.gr.gz --source 1",),
    "benchmark trees": ("NY.gr.gz -o trees.md -o trees.svg",),
    "benchmark search": ("NY.gr.gz -a near-far --option delta=1000..100000/8",),
    "benchmark steps": ("NY.gr.gz -a near-far --option delta=5000",),
    "benchmark open": ("porto.osm.pbf --simplify --runs 5",),
    "benchmark canvas": ("NY.gr.gz --size 3840x2160",),
    "new": ("algorithm far-sight",),
    "new algorithm": ("far-sight",),
    "warm-up": ("-d cpu",),
    "first-light": ("-o out --theme light",),
    "install-desktop": ("--remove",),
}
"""The arguments of each command."""


def below_help(command: str) -> str:
    """Return the examples of a command as the end of its help; ``\\b`` keeps their lines apart."""
    lines = "\n".join(f"  wayfront {command} {arguments}" for arguments in EXAMPLES[command])
    return f"\b\nExamples:\n{lines}"
