"""Flows: what every road carries when demand is sent along shortest paths."""
