"""Measurements, outside the wheel. Its modules are commands: `python -m benchmarks.speed` and the like."""
