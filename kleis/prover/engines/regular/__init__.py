"""Claims about strings, by automata.

- `memberships`: membership formulas, texts
- `read_claims`: claims as memberships
- `engine`: the decision, rechecked
"""
