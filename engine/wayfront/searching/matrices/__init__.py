"""Distances from points to points: the call, what is added up along the ways, what keeps rows, and Dask workers."""
