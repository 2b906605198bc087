"""Search from a source to one target: run, procedure, result, certificate."""
