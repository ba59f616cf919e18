"""Fuel bounds as polynomials in input sizes.

- `polynomials`: polynomials without negative coefficients
- `value_sizes`: kinds and size bounds
- `operation_costs`: what each operation charges
- `bounds`: the cost of a term
"""
