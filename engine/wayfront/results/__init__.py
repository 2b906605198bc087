"""What searches find: trees, routes, figures of all pairs, their tables and files."""
