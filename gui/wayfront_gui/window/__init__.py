"""The window, its docks and its commands."""
