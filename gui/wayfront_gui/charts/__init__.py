"""Painted charts, and the export of pictures and tables."""
