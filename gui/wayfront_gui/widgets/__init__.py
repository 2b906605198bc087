"""Widgets that panels and dialogs are made of."""
