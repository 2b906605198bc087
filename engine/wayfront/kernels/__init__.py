"""The per-thread bodies that algorithms launch: plain functions, written once for every device."""
