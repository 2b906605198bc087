"""Searches by nested dissection."""
