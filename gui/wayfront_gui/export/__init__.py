"""Files of what the map shows: films, posters, vector drawings, large pictures."""
