"""The engine thread and its jobs."""
