"""Statements whose meaning was compared by hand.

- `statements`: propositions, what they become in Lean, and why that means the same
"""
