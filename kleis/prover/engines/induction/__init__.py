"""Induction with lemmas.

- `unfolding`: definitions unfolded on terms
- `schemes`: schemes and their obligations
- `search`: goal, then every scheme
- `speculation`: lemmas from stuck steps
- `lemmas`: templates, proved before use
- `engine`: the engine, proofs rechecked
"""
