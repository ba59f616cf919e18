"""Sorts written, inferred, declared.

- `read_sorts`: written types and dimensions
- `sort_inference`: unknown sorts solved
- `data_types`: which data types make sense
- `data_instances`: data types at arguments
"""
