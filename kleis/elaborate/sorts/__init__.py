"""Sorts: as they are written, inferred, and declared by data types.

- `dimensions`: natural numbers in types
- `read_sorts`: written types to sorts
- `sort_inference`: unknown sorts, solved pass by pass
- `data_types`: which data types are lawful
- `data_instances`: data types at their arguments

Sorts are data of `kleis.core.sorts`; a new one needs an encoding in `kleis.prover.lowering` too.
"""
