"""Search the networks given as JSON and print the results; ``test_simulator`` runs this in a process of its own."""

from __future__ import annotations

import json
import sys

import numpy as np

import wayfront
from search_checks import random_arcs

if __name__ == "__main__":
    found = []
    for n, m, largest, seed, name, options in json.loads(sys.argv[1]):
        result = wayfront.search(
            random_arcs(n, m, largest, seed), 0, name, "simulator", options=options, runs=0, verify=True
        )
        assert result.trace is not None
        found.append(
            {
                "distances": np.where(result.reached, result.distances, -1).tolist(),
                "parents": result.parents.tolist(),
                "first_reached": result.trace.first_reached.tolist(),
                "frontiers": [step.frontier.tolist() for step in result.trace],
                "improved": result.trace.improved.tolist(),
                "device": result.device,
                "verified": result.verified,
            }
        )
    json.dump(found, sys.stdout)
