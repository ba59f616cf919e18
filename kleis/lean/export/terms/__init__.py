"""Sorts, terms and formulas of the core in Lean.

- `lean_names`: one Lean name for each name of the theory
- `lean_types`: sorts as Lean types, and a value of each
- `lean_collections`: built-ins of lists, tuples, strings and sets
- `lean_prelude`: definitions of built-ins that Lean lacks, written where they are used
- `lean_builtins`: literals, coercions, all other built-ins, and the table of all
- `propositions`: formulas simplified while they are built, and joined from partial parts
- `conditionals`: tests of constructors as matches; which formulas Lean decides by computing
- `lean_terms`: terms and formulas with their definedness
"""
