"""Where a term has a value, and cheap proofs of it.

- `conditions`: conditions with their paths
- `linear_arithmetic`: is a set of facts impossible
- `path_arithmetic`: terms as linear facts
- `entailment`: does the path imply it
- `discharge`: conditions that need no proof
- `partial_logic`: T(φ) and F(φ), once
"""
