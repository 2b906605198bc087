"""The one place that states the program's version."""

__version__ = "0.1.0"
