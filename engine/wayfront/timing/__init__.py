"""Measure times: the harness, and the facts about the machine that belong to every figure."""
