"""Whether a returned file proves, or refutes, what was asked.

- `commands`: any Lean text as commands, and the words that decide what a returned file may contain
- `accept`: the rules of acceptance
- `check_by_lean`: what a Lean on the PATH says of an accepted text, and of the axioms it rests on

A word that a returned file may contain, or not, is a row of the tables in `commands` and of docs/reference/lean.md §7.1.
"""
