"""Exports: each format is one module with a SUFFIX and a `write`."""
