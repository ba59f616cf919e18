"""Kleis: a mathematical language of structures, axioms, definitions and data types."""
