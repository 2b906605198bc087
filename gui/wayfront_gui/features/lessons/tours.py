"""The tours that come with the program: their names and titles, for menus and the command line."""

from __future__ import annotations

TOURS = {
    "dijkstras-ball": "Dijkstra's ball",
    "wasted-work": "Why Bellman–Ford wastes work",
    "delta-between": "Δ between the two",
    "straight-to-target": "Straight to the target",
    "every-pair": "Every pair at once",
    "what-threads-do": "What the threads do",
    "wide-frontier": "Why a card needs a wide frontier",
    "resident-search": "Why a resident search wins",
    "cut-fold-sweep": "Cut, customise, sweep",
    "what-a-bridge-carries": "What a bridge carries",
    "back-to-a-node": "Why a route may come back to a node",
}
