"""Run a search: the call, the run, the registry of algorithms, the tree, the result and its certificate."""
