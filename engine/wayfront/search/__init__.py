"""Run searches: call, execution, run, registry of algorithms, tree, result, certificate."""
