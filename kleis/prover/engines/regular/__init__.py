"""Claims about strings, by automata.

- `engine`: which claims are asked; the decision itself is `kleis.prover.checker.rules.regular`
"""
