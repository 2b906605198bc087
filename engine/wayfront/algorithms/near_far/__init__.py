"""The near-far family."""
