"""The Bellman–Ford family."""
