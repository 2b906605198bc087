"""The window of wayfront and its command line."""
