"""The engines: budgeted searches, each a pure function of a task and a number of steps.

What an engine is stands in `kleis.prover.protocol.engine`; which run when, and whose answer counts, is
decided by `kleis.prover.portfolio`; `kleis.prover.prover` makes the verdict of it.  No engine is trusted: a model is evaluated again, a proof is checked again, by code that
shares nothing with the search.

- `first_order_terms`: first-order terms and formulas
- `first_order_problem`: goals in the first-order fragment of completion and finite models
- `completion/`: Knuth–Bendix completion of unit equations
- `superposition/`: ordered superposition of clauses
- `solvers/`: Z3 and cvc5 on scripts
- `models/`: countermodels, finite tables and standard models
- `induction/`: induction with lemmas
- `regular/`: claims about strings, by automata
- `laws/`: laws of built-in functions, identities, sums
- `computation/`: claims decided by computing
- `denials/`: claims refuted by a proof of their negation
"""
