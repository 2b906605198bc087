"""The backend of NetworkX: its functions for shortest paths, on its graphs, answered by compiled searches."""
