"""The examples: graphs that many have worked through on paper, and three drawn to show one thing each.

Weights and arcs are those of the sources; places are ours, near those of the printed figures. Graphs with negative
weights are left out, since no search here takes them.
"""

from __future__ import annotations

from wayfront.examples.example import Example

_ALGORITHMS = "Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, 3rd edition"

EXAMPLES = (
    Example(
        name="paper-e",
        title="Five nodes of a paper",
        source="The figure of “Bellman–Ford single source shortest path algorithm on GPU using CUDA”.",
        start="A",
        places="""
            A   0 100
            B 130 190
            C 130  10
            D 260  10
            E 260 190
        """,
        arcs="""
            A→B 9, A→C 4, B→C 10, B→D 2, B→E 3
            C→D 2, C→E 11, D→B 2, E→D 2
        """,
    ),
    Example(
        name="cormen-dijkstra",
        title="Dijkstra's algorithm in Cormen",
        source=f"{_ALGORITHMS}, figure 24.6.",
        start="s",
        places="""
            s   0 100
            t 120 200
            x 300 200
            y 120   0
            z 300   0
        """,
        arcs="""
            s→t 10, s→y 5, t→x 1, t→y 2, y→t 3
            y→x 9, y→z 2, x→z 4, z→x 6, z→s 7
        """,
    ),
    Example(
        name="cormen-trees",
        title="Two shortest-path trees in Cormen",
        source=f"{_ALGORITHMS}, figure 24.2.",
        start="s",
        places="""
            s   0 100
            t 120 200
            x 300 200
            y 120   0
            z 300   0
        """,
        arcs="""
            s→t 3, s→y 5, t→x 6, t→y 2, y→t 1
            y→x 4, y→z 6, x→z 2, z→x 7, z→s 3
        """,
    ),
    Example(
        name="cormen-nine",
        title="Nine nodes, both ways",
        source=f"{_ALGORITHMS}, figure 23.1, there for spanning trees.",
        start="a",
        places="""
            a   0 100
            b  80 200
            c 220 200
            d 360 200
            e 440 100
            f 360   0
            g 220   0
            h  80   0
            i 160 100
        """,
        arcs="""
            a–b 4, a–h 8, b–c 8, b–h 11, c–d 7, c–f 4, c–i 2
            d–e 9, d–f 14, e–f 10, f–g 2, g–h 1, g–i 6, h–i 7
        """,
    ),
    Example(
        name="sedgewick-eight",
        title="Eight nodes of Sedgewick and Wayne",
        source="Sedgewick, Wayne: Algorithms, 4th edition, tinyEWD.txt; weights in hundredths.",
        start="0",
        places="""
            0  60 110
            1 380 190
            2 130 200
            3 470 120
            4  70   0
            5 300  70
            6 440   0
            7 230 130
        """,
        arcs="""
            4→5 35, 5→4 35, 4→7 37, 5→7 28, 7→5 28, 5→1 32, 0→4 38, 0→2 26
            7→3 39, 1→3 29, 2→7 34, 6→2 40, 3→6 52, 6→0 58, 6→4 93
        """,
    ),
    Example(
        name="six-roads",
        title="Six towns and nine roads",
        source="The graph of Wikipedia's article on Dijkstra's algorithm.",
        start="1",
        places="""
            1   0  50
            2  90   0
            3 130  90
            4 230  80
            5 190 190
            6  70 170
        """,
        arcs="""
            1–2 7, 1–3 9, 1–6 14, 2–3 10, 2–4 15
            3–4 11, 3–6 2, 4–5 6, 5–6 9
        """,
    ),
    Example(
        name="romania",
        title="Roads of Romania",
        source="Russell, Norvig: Artificial Intelligence, a Modern Approach, chapter 3; kilometres as printed there.",
        start="Arad",
        places="""
            Arad             0 240
            Bucharest      330  80
            Craiova        180  40
            Drobeta         90  50
            Eforie         520  45
            Fagaras        230 195
            Giurgiu        305  20
            Hirsova        490 100
            Iasi           420 255
            Lugoj           85 130
            Mehadia         88  90
            Neamt          345 285
            Oradea          45 325
            Pitesti        245 120
            Rimnicu Vilcea 165 155
            Sibiu          130 205
            Timisoara       10 160
            Urziceni       400 100
            Vaslui         460 190
            Zerind          20 283
        """,
        arcs="""
            Arad–Zerind 75, Arad–Sibiu 140, Arad–Timisoara 118, Zerind–Oradea 71, Oradea–Sibiu 151
            Timisoara–Lugoj 111, Lugoj–Mehadia 70, Mehadia–Drobeta 75, Drobeta–Craiova 120
            Craiova–Rimnicu Vilcea 146, Craiova–Pitesti 138, Rimnicu Vilcea–Sibiu 80, Rimnicu Vilcea–Pitesti 97
            Sibiu–Fagaras 99, Fagaras–Bucharest 211, Pitesti–Bucharest 101, Bucharest–Giurgiu 90
            Bucharest–Urziceni 85, Urziceni–Hirsova 98, Hirsova–Eforie 86, Urziceni–Vaslui 142
            Vaslui–Iasi 92, Iasi–Neamt 87
        """,
        weights=("length", "m", 1000.0),
    ),
    Example(
        name="detours",
        title="Long roads first",
        source="Drawn for this program: each label of the lower row is lowered again and again.",
        start="s",
        places="""
            s   0   0
            a  60 100
            b 140 100
            c 220 100
            d 300 100
            t 110   0
            u 190   0
            v 270   0
            w 350   0
        """,
        arcs="""
            s→a 1, a→b 1, b→c 1, c→d 1
            s→t 32, a→t 24, b→t 16, c→t 8, d→t 1
            t→u 1, u→v 1, v→w 1
        """,
    ),
    Example(
        name="light-and-heavy",
        title="Light and heavy arcs",
        source="Drawn for this program: short arcs in three groups, long ones between them; try buckets of width 10.",
        start="a",
        places="""
            a   0 100
            b  60 160
            c  60  40
            d 110 100
            e 220 160
            f 280 200
            g 280 110
            h 330 160
            i 220   0
            j 290  40
            k 350   0
        """,
        arcs="""
            a–b 3, a–c 2, b–d 4, c–d 6, a–d 9
            e–f 2, e–g 3, f–h 5, g–h 2
            i–j 4, j–k 3, i–k 9
            d→e 21, b→f 40, c→i 25, d→j 34, h→k 12, j→g 15
        """,
    ),
    Example(
        name="three-wide",
        title="One source, three layers",
        source="Drawn for this program: every node of a layer is reached in the same step, so the front is wide.",
        start="s",
        places="""
            s    0 150
            a1 110   0
            a2 110 100
            a3 110 200
            a4 110 300
            b1 240   0
            b2 240 100
            b3 240 200
            b4 240 300
            c1 370   0
            c2 370 100
            c3 370 200
            c4 370 300
        """,
        arcs="""
            s→a1 4, s→a2 2, s→a3 3, s→a4 5
            a1→b1 3, a1→b2 5, a2→b1 6, a2→b2 2, a2→b3 4, a3→b2 4, a3→b3 1, a3→b4 6, a4→b3 3, a4→b4 2
            b1→c1 2, b1→c2 4, b2→c1 5, b2→c2 3, b2→c3 6, b3→c2 2, b3→c3 4, b3→c4 5, b4→c3 1, b4→c4 3
        """,
    ),
)
