"""Every example has the distances that its book, or a reader with a pencil, finds."""

from __future__ import annotations

import pytest

from wayfront import open_network, search
from wayfront.network.conventions import is_drawing
from wayfront.network.finding import node_called
from wayfront.results.result import Result
from wayfront.safe.errors import OptionError
from wayfront.searching.result_file import RecordedNetwork, find_network
from wayfront.synthetic.textbooks import EXAMPLES, Example

BY_HAND = {
    "paper-e": "A 0, C 4, D 6, B 8, E 11",
    "cormen-dijkstra": "s 0, t 8, x 9, y 5, z 7",
    "cormen-trees": "s 0, t 3, x 9, y 5, z 11",
    "cormen-nine": "a 0, b 4, c 12, d 19, e 21, f 11, g 9, h 8, i 14",
    "sedgewick-eight": "0 0, 1 105, 2 26, 3 99, 4 38, 5 73, 6 151, 7 60",
    "six-roads": "1 0, 2 7, 3 9, 4 20, 5 20, 6 11",
    "romania": "Arad 0, Bucharest 418, Sibiu 140, Rimnicu Vilcea 220, Pitesti 317, Neamt 824, Eforie 687, Drobeta 374",
    "detours": "s 0, a 1, b 2, c 3, d 4, t 5, u 6, v 7, w 8",
    "light-and-heavy": "a 0, b 3, c 2, d 7, e 28, f 30, g 31, h 33, i 27, j 31, k 34",
    "three-wide": "s 0, a1 4, a2 2, a3 3, a4 5, b1 7, b2 4, b3 4, b4 7, c1 9, c2 6, c3 8, c4 9",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_opened_by_its_name_and_has_its_book_s_distances(example: Example) -> None:
    network = open_network(example.opened_by)
    found = search(network, node_called(network, example.start), "dijkstra", "cpu")
    assert isinstance(found, Result)
    by_hand = dict(entry.rsplit(" ", 1) for entry in BY_HAND[example.name].split(", "))
    assert {name: int(found.distances[node_called(network, name)]) for name in by_hand} == {
        name: int(distance) for name, distance in by_hand.items()
    }
    assert is_drawing(network)
    assert network.origin == example.opened_by
    assert network.notes == (example.source,)


def test_an_example_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(OptionError, match=r"no example 'example:none'; there are: example:paper-e, example:cormen"):
        open_network("example:none")


def test_a_trace_finds_the_example_it_was_recorded_on() -> None:
    network = EXAMPLES[0].build()
    recorded = RecordedNetwork("five nodes", network.content_key, EXAMPLES[0].opened_by, "", 5, 9, "weight")
    found = find_network("nowhere.wftrace", recorded, lambda path: pytest.fail(f"{path} was opened"))
    assert found.content_key == network.content_key
