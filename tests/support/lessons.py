"""A lesson for tests, on the graph of paper E."""

from __future__ import annotations

QUIZ = '''
kind = "wayfront lesson"
version = 1
title = "A quiz"
by = "A teacher"

[[moment]]
name = "first"
network = "example:paper-e"   # five nodes
algorithm = "dijkstra-heap"
device = "cpu"
source = "A"
when = "node C is settled"
title = "Two nodes & more"
text = """
Node **C** is *settled*: $d_C ≤ d_B$ holds with {frontier} node at work.

- step {step} of {steps}
- `d[C] = 4` <b>not bold</b>
"""
nodes = ["C", "D"]
arcs = [["A", "C"]]
route = "D"
question = "How many relaxations in {steps} steps?"
choices = ["8", "9"]
right = 2
answer = "{relaxations}, as there are arcs"

[[moment]]
when = "step 3"
text = "Of {first.relaxations}"
predict = true

[[moment]]
algorithm = "bellman-ford-v3"
when = "tree"
text = "{relaxations/first.relaxations} times as many"
'''

TWO_IN_STEP = """
kind = "wayfront lesson"
title = "Two in step"

[[moment]]
network = "example:paper-e"
algorithm = "dijkstra-heap"
beside = "bellman-ford-v3"
source = "A"
closed = [["A", "C"]]
when = "step 2"
predict = true

[[moment]]
when = "tree"

[[moment]]
beside = ""
closed = []
"""

EVERY_KIND = """
kind = "wayfront lesson"
title = "Every kind"

[[moment]]
name = "race"
network = "example:romania"
algorithm = "a-star"
source = "Arad"
target = "Bucharest"
device = "cpu"
beside = ["bidirectional", { algorithm = "delta-stepping", options = { delta = 70 } }, "dijkstra-to-target"]
when = "step 2"
text = "{expanded} of {2.expanded} to {target}, {distance}"
predict = true

[[moment]]
when = "finished"

[[moment]]
algorithm = "auto"
when = "node Sibiu is expanded"
text = "Of {race.expanded}, in {time}"

[[moment]]
network = "example:paper-e"
algorithm = "floyd-warshall"
source = "A"
route = "E"
when = "before the first step"
predict = true

[[moment]]
when = "node C is expanded"

[[moment]]
algorithm = "dijkstra-in-turn"
sample = 3
when = "finished"
"""
"""Routes beside each other and alone, then all pairs."""

PLAYED = """
kind = "wayfront lesson"
title = "Played in a browser"
by = "A teacher"

[[moment]]
network = "example:paper-e"
algorithm = "dijkstra-heap"
device = "cpu"
source = "A"
when = "node C is settled"
title = "Two nodes & <b>more"
text = "Node **C** is *settled*: $d_C$."
nodes = ["C"]
arcs = [["A", "C"]]
panels = ["explanation"]
question = "Which one?"
choices = ["The first", "The <i>second"]
right = 2
answer = "As it is."

[[moment]]
when = "step 3"
predict = true

[[moment]]
beside = "bellman-ford-v3"
when = "tree"
route = "D"

[[moment]]
network = "synthetic:grid?columns=15&rows=15"
algorithm = "dijkstra"
when = "step 3"

[[moment]]
flows = true

[[moment]]
network = "example:paper-e"
algorithm = "floyd-warshall"
when = "step 2"
"""

BEGINS_WITH_FLOWS = """
kind = "wayfront lesson"
title = "Rivers first"

[[moment]]
network = "synthetic:grid?columns=15&rows=15"
device = "cpu"
source = 1
flows = true
title = "All trees at once"
text = "Everybody goes everywhere."

[[moment]]
flows = false
title = "One tree"
text = "From one node."
"""
"""A lesson whose first picture is of what streets carry, and then a search on the same network."""
