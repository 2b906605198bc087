"""The one place that states the program's version."""

__version__ = "0.1.0"

JSON_SCHEMA_VERSION = 1
"""Of the JSON that commands print and write: it rises when a field goes or means something else."""
