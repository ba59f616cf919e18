"""Claims about the built-in functions of numbers, by their laws and as identities of polynomials.

- `instances`: at which terms a claim needs which laws
- `proofs`: laws, instances and a question to a solver, as steps of a certificate
- `witnesses`: terms for the numbers that a claim says exist
- `engine`: the engines `identities`, `sums`, `laws` and `witnesses`

The laws are `kleis.builtins.laws`, what is an identity decides the checker's rule.  A new law is a row there, and a line
of `instances` that says where it is taken.
"""
