"""Benchmarks that need no window: ``python -m wayfront.benchmarks`` runs them where only the engine is installed."""
