"""Proofs and refutations that are written without running Lean.

- `proofs`: the kinds of proofs, in order
- `decisions`: claims that Lean decides by computing
- `evaluations`: claims without variables that Lean computes by rewriting
- `hypotheses`: what a proof may use, with its names
- `chains`: completion proofs as calculations
- `inductions`: proofs by structural induction
- `instances`: axioms at written-out arguments, as one term
- `arithmetic`: claims about numbers that a tactic closes
- `witnesses`: values that make an ∃ true
- `refutations`: counterexamples as declarations
"""
