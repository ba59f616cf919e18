"""Z3 and cvc5 on scripts.  Both are imported by name at run time, in child processes.

- `runs`: runs of Z3 within steps, and the reason where one ends without an answer; cores
- `read_models`: solver models as data
- `script_engines`: engines on the whole script: default, patterns, recursion left out, restarts, derived equations
- `open_languages`: proofs and shapes of counterexamples with regular languages left open
- `algebraic_points`: points with irrational coordinates, for witnesses
- `hints`: terms of Z3 as terms of the core
- `instantiation`: axioms instantiated at goal terms and at overlaps
- `residues`: claims about products of integers, for each remainder modulo a small number
- `cvc5_engine`: finite models, induction, instantiation by cvc5
"""
