"""The rules of the checker, a file each: what a step of a proof, or a witness, has to satisfy.

- `induction`: a claim for all values of a variable, by cases with hypotheses
- `rewriting`: chains of equations from premises and the negated claim to ``true = false``
- `convergence`: rewrite systems in whose normal forms the axioms hold and the claim fails

What the last two read of premises and claims

- `unfolding`: formulas without definitions
- `skolem_forms`: formulas without quantifiers
- `forms`: what these are, and their ways to be true
- `symbol_names`: the names of functions
- `unit_equations`: forms as equations
- `equation_terms`: terms, and terms as data
- `path_ordering`: orderings, unification, overlaps
"""
