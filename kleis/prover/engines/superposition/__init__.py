"""Superposition: first-order clauses with equality.

- `clauses`: the clauses of a problem
- `orderings`: the ordering by weight, and how orderings compare literals
- `kept_clauses`: clauses of the search, and where they come from
- `subsumption`: clauses that say no more than others
- `permutations`: equations that only permute arguments
- `strategy`: what is heuristic about a search
- `search`: the given-clause loop
- `derivations`: what a search did, step by step with places and values
- `engine`: the engine, and its proofs as text
- `certified`: its proofs as data of the checker

Terms, rewriting and the path ordering are those of completion.
"""
