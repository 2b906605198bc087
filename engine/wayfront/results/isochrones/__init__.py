"""Areas round roads: pieces of reached road, the plane they lie on, the field round them, and files."""
