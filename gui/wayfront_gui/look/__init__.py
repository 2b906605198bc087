"""Themes, colours and icons."""
