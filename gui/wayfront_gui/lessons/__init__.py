"""The state of the program, without Qt."""
