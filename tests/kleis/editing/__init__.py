"""Tests of `kleis/editing/`."""
