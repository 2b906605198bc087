"""Files of the 9th DIMACS Implementation Challenge."""
