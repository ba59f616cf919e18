"""Induction with lemmas.

- `unfolding`: definitions unfolded on terms
- `schemes`: induction schemes and their obligations
- `search`: a goal as it is, then by every scheme
- `speculation`: lemmas from stuck steps
- `lemmas`: templates and lemmas, proved before use
- `engine`: the engine, and the check of its proofs
"""
