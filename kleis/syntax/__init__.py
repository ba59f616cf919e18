"""Source text to tree and back; `operators` is THE table of operators.

- `operators`: spelling, precedence, associativity
"""
