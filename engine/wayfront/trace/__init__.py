"""Recorded steps of a search: observers, logs on the device, clock, recorder, schema, file, and views of one step."""
