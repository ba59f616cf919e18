"""Expressions and definitions to core terms.

`term_elaborator.TermElaborator` alone recurs over expressions; the other modules are the cases it calls.

- `elaboration_context`: the protocols the cases are written against
- `call_errors`: errors of calls that fit no candidate
- `overload_candidates`: what a name offers a call, with costs
- `special_forms`: connectives, equality, tuples, records
- `applications`: definitions and function values at arguments
- `undecided_calls`: calls that wait until their arguments' sorts are known
- `call_elaboration`: calls and names: the cheapest candidate that fits, operators like `+` included
- `match_elaboration`: `match` and `let` to tests and selections
- `term_elaborator`: one expression in one pass
- `elaboration_fixpoint`: passes until every sort is known
- `builtin_instances`: built-ins at fixed sorts, with conditions
- `definitions`: definitions at the sorts they are called with

A new form of expression is a node of `kleis.syntax.tree` and a case in `term_elaborator`.
"""
