"""The rules of the checker, a file each: what a step of a proof, or a witness, has to satisfy.

- `ask`: a question that solvers settle
- `induction`: a claim for all values of a variable, by cases with hypotheses
- `rewriting`: chains of equations from premises and the negated claim to ``true = false``
- `evaluation`: a claim that is computed
- `enclosures`: a claim that is computed with irrational numbers between rationals
- `regular`: a claim that automata decide
- `tables`: finite carriers with tables, evaluated
- `assignment`: values of variables and symbols, evaluated; what stays open becomes a leaf
- `interpretation`: carriers as sets of numbers, symbols as terms; everything becomes a leaf
- `convergence`: rewrite systems in whose normal forms the axioms hold and the claim fails

What `regular` reads

- `regular_claims`: claims as formulas over memberships
- `regular_patterns`: constant patterns and lengths as languages
- `regular_memberships`: strings of literals and variables in languages

What the rules of witnesses read

- `interpreted_goals`: goals under an interpretation, and their leaves
- `named_parts`: what witnesses name, in the goal's order

What `rewriting` and `convergence` read of premises and claims

- `unfolding`: formulas without definitions
- `skolem_forms`: formulas without quantifiers
- `forms`: what these are, and their ways to be true
- `symbol_names`: the names of functions
- `unit_equations`: forms as equations
- `equation_terms`: terms, and terms as data
- `path_ordering`: orderings, unification, overlaps
"""
