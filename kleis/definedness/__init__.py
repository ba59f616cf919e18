"""Where a term has a value, and inexpensive proofs that it does.

- `conditions`: the conditions of partial operations, each with the path that leads to it
- `linear_arithmetic`: whether a set of linear facts is impossible
- `path_arithmetic`: terms as linear facts
- `entailment`: whether a condition follows from its path
- `discharge`: conditions that need no proof, left out of definitions
- `partial_logic`: the formulas that say when φ is true, T(φ), and when it is false, F(φ)

Call `conditions.Definedness` first. Answers are one-sided: True is shown, False means "not shown". The rules of strictness
are those of `kleis.semantics.reference`; a change of either touches the other. See docs/reference/proving.md §4.2.
"""
