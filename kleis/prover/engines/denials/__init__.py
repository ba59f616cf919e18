"""Claims refuted by a proof of their negation.

- `engine`: the engine; the proofs are those of `laws`, of `computation` and of Z3
"""
