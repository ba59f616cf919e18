"""Induction with lemmas and with laws of lists and trees.

- `unfolding`: definitions unfolded on terms
- `schemes`: induction schemes and their obligations
- `search`: a goal as it is, then by every scheme
- `speculation`: lemmas from stuck steps
- `lemmas`: templates and lemmas, proved before use
- `engine`: the engine `induction`, and the check of its proofs
- `law_formulas`: what candidates for laws are made of
- `function_laws`: laws about functions, taken at those of a claim
- `sorting_laws`: laws of functions to which the order of elements makes no difference, as candidates
- `list_laws`: laws that functions on lists often have, as candidates
- `tree_laws`: laws that functions on trees often have, as candidates
- `proved_laws`: what searches with laws have in common, and proofs as certificates have them
- `recursive_calls`: at which values recursions go on
- `law_search`: the engine `induction with laws`
- `number_search`: the same for functions of numbers: inductions that start later, and laws of growth
"""
