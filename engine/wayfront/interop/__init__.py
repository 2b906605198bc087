"""Networks from graphs and tables in memory: NetworkX, OSMnx, igraph, SciPy, pandas and what resembles its frames."""
