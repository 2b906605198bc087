"""New algorithm, a shortest-path search for wayfront."""
