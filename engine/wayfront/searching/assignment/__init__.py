"""Traffic assignment: trips along shortest paths, the methods that find an equilibrium, and the call."""
