"""Run searches: registry, call, run, execution, certificate, files of results, routes and all pairs."""
