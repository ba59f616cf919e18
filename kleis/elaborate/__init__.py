"""Elaboration: from a theory and a proposition to a goal of the typed core.

Names are resolved, overloads chosen by sorts, coercions inserted, structures instantiated.  Call
`elaborator.Elaborator(theory).proposition(expression)` for a goal, or `check_program.check_program` for the problems
of a program.  An `Elaborator` may not be used from several threads at once.

The folders below, from the ground up:

- `sorts/`: sorts: written, inferred, of data types
- `scopes/`: what a name may stand for
- `expressions/`: expressions and definitions to core terms

The modules above them:

- `subject`: which structures a proposition is about
- `assemble_goal`: a goal from a claim and everything it reaches
- `elaborator`: the entry: the goals of one theory
- `question`: what somebody asks, its names, and the warnings of its answer
- `check_program`: what `kleis check` reports

A change here usually touches `kleis.core` (terms and goals), `kleis.delaborate` (the way back to source) and
`kleis.builtins.rows` (the signatures of built-ins) too.
"""
