"""The rules of the checker, a file each: what a step of a proof, or a witness, has to satisfy.

- `ask`: a question that solvers settle
- `induction`: a claim for all values of a variable, by cases with hypotheses
- `rewriting`: chains of equations from premises and the negated claim to ``true = false``
- `clausal`: inferences from clauses of premises and the negated claim to the empty clause
- `evaluation`: a claim that is computed
- `enclosures`: a claim that is computed with irrational numbers between rationals
- `identities`: equations whose sides have one form
- `sums`: equations of sums, by induction on their end
- `laws`: laws of built-in functions, from a table
- `remainders`: claims that depend on integers by remainders alone
- `rational_roots`: equations without a rational solution
- `intervals`: claims about all numbers of intervals; roots by a change of sign
- `regular`: a claim that automata decide
- `direct`: which of these decide by computing alone
- `tables`: finite carriers with tables, evaluated
- `assignment`: values of variables and symbols, evaluated; what stays open becomes a leaf
- `interpretation`: carriers as numbers, texts or lists of numbers, symbols as terms; everything becomes a leaf
- `convergence`: rewrite systems in whose normal forms the axioms hold and the claim fails

What `ask` reads

- `witnesses`: claims with terms in the place of their ∃

What `regular` reads

- `regular_claims`: claims as formulas over memberships
- `regular_patterns`: constant patterns and lengths as languages
- `regular_memberships`: strings of literals and variables in languages

What `identities`, `sums` and `rational_roots` read of numbers and matrices

- `polynomials`: polynomials, reduced by relations, and quotients
- `form_atoms`: what forms are made of, and what has to hold
- `power_forms`: roots, logarithms, absolute values
- `unknown_powers`: powers with unknown exponents
- `circle_forms`: angles, arcs, hyperbolic functions
- `normal_forms`: terms as forms
- `matrix_forms`: matrices entry by entry
- `list_forms`: lists and tuples item by item

What `induction` and `remainders` read

- `open_claims`: outermost variables, new names, functions as unknown operations
- `whole_numbers`: whole numbers that terms write

What `intervals` reads

- `boxes`: terms and formulas over boxes

What the rules of witnesses read

- `interpreted_goals`: goals under an interpretation, and their leaves
- `named_parts`: what witnesses name, in the goal's order

What `rewriting`, `convergence` and `clausal` read of premises and claims

- `unfolding`: formulas without definitions
- `skolem_forms`: formulas without quantifiers
- `forms`: what these are, and their ways to be true
- `symbol_names`: the names of functions
- `unit_equations`: forms as equations
- `clause_forms`: forms as clauses
- `equation_terms`: terms, and terms as data
- `path_ordering`: orderings, unification, overlaps
"""
