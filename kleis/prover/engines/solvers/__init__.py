"""Z3 and cvc5 on scripts.

- `runs`: runs, budgets, cores
- `read_models`: solver models as data
- `script_engines`: default, patterns, restarts, lemmas
- `instantiation`: axioms at goal terms
- `residues`: products by residue cases
- `cvc5_engine`: finite models, induction, cvc5
"""
