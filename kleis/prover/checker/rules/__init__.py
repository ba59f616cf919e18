"""The rules of the checker, a file each: what a step of a proof, or a witness, has to satisfy.

- `ask`: solvers refute premises, instances of them and the negated claim
"""
