"""Recorded steps of a search: the schema, the recorder and the file."""
