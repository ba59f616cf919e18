"""Where tools have values, as Kleis formulas and definitions (docs/reference/registry.md §7.5).

- `value_conditions`: the condition under which an expression has a value
- `predicates`: for each tool the predicate that says where it has a value, and laws with it as their premise

`registry.laws.goals` and `registry.laws.equivalence` call `predicates.DefinednessPredicates`. The conditions of
operations are in the rows of `kleis.builtins`, and `kleis.definedness` decides which functions are partial; a change there
changes the predicates.
"""
