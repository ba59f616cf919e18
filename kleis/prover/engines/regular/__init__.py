"""Claims about strings, by automata.

- `memberships`: membership formulas, strings of literals and variables
- `read_claims`: claims as memberships
- `engine`: the decision, and its check
"""
