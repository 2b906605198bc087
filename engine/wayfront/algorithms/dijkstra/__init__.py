"""The Dijkstra family."""
