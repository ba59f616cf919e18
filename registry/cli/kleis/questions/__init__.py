"""What is asked of the prover.

- `verify`: question and verdict
- `certificates`: written and checked
- `explore`: laws of a structure
"""
