"""Fuel bounds as polynomials in input sizes.

- `polynomials`: polynomials without negative coefficients
- `value_sizes`: kinds and size bounds
- `captured_names`: what a function captures, found once
- `fold_growth`: what a `fold` does to the bounds of its accumulator
- `operation_costs`: what each operation charges
- `bounds`: the cost of a term
"""
