"""Measurements: ratios taken in one run, never assertions in a test. `make bench` runs them all."""
