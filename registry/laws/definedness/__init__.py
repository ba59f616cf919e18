"""Where tools have values, as formulas (on core in move 5).

- `value_conditions`: conditions of an expression
- `predicates`: definedness predicates, simplified
"""
