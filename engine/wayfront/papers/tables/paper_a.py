"""Paper A: adaptive thread creation beside relax/update."""

from __future__ import annotations

from wayfront.papers.description import Contender, Graph, Paper, Ratio, Table
from wayfront.papers.tables.graphs import NEW_YORK, WHOLE_SEARCH

_KANTO = "the Kanto region"
_STAND_IN = Graph(NEW_YORK.name, NEW_YORK.location, _KANTO, NEW_YORK.sum_distance)

PAPER = Paper(
    "A",
    "Accelerating SSSP algorithm on GPU with adaptive thread creation",
    "Suzuki, Kan, Hayashi, Yoshikawa",
    "year not in the copy at hand",
    "GPU not named in the copy at hand",
    (
        Table(
            "Adaptive thread creation beside relax/update",
            (_STAND_IN,),
            (
                Contender("relax/update", "relax-update"),
                Contender("adaptive", "adaptive"),
                Contender("adaptive, by frontier", "adaptive", {"judge": "frontier size"}),
            ),
            ratios=(
                Ratio("adaptive", "relax/update", {_KANTO: (1.18, 1.18)}),
                Ratio("adaptive, by frontier", "relax/update"),
            ),
            ours=WHOLE_SEARCH,
            theirs="not in the copy at hand, which has no times: 18 % faster is all it reports",
            note="The paper's map of the Kanto region is not public: New York replaces it. Its threshold is not "
            "readable either; ours is measured. Judging by the frontier's size is ours.",
        ),
    ),
)
