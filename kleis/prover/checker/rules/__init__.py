"""The rules of the checker, a file each: what a step of a proof, or a witness, has to satisfy.

- `induction`: a claim for all values of a variable, by cases with hypotheses
"""
