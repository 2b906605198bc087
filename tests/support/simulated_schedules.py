"""The orders of threads in which kernels are simulated; ``simulated_threads`` runs them."""

from __future__ import annotations

IN_ORDER, REVERSED, SHUFFLED = "in order", "reversed", "shuffled"
SCHEDULES = (IN_ORDER, REVERSED, SHUFFLED)
