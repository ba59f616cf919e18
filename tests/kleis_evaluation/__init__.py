"""Tests of the Kleis evaluator."""
