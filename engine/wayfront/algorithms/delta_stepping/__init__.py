"""The Δ-stepping family."""
