"""Where tools have values, as Kleis formulas and definitions (docs/reference/registry.md §7.5).

- `value_conditions`: the condition under which an expression has a value
- `predicates`: definedness predicates of tools, and laws behind them

`registry.laws.goals` and `registry.laws.equivalence` call `predicates.DefinednessPredicates`. The conditions of
operations are in the rows of `kleis.builtins`, and `kleis.definedness` decides which functions are partial; a change there
changes the predicates.
"""
