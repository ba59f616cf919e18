"""Whether a returned proof is one.

- `commands`: any Lean text as commands
- `accept`: the rules of acceptance
"""
