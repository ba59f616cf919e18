"""Tree to text.

- `expressions`: types, patterns, expressions
- `program`: declarations and programs
- `formatter`: layout of `kleis fmt`
"""
