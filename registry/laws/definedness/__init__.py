"""Where tools have values, as Kleis formulas and definitions (docs/reference/registry.md §7.5).

- `value_conditions`: the condition under which an expression has a value
- `predicates`: definedness predicates of tools, and laws behind them

`predicates.DefinednessPredicates` is what `registry.laws.goals` and `registry.laws.equivalence` call. The conditions of operations
are rows of `kleis.builtins`, those of definitions `kleis.definedness`; a change there shows here.
"""
