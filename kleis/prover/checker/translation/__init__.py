"""Core terms in SMT-LIB, naively: the second translation, which the checker of certificates trusts.

    Sequent ── script ──> declarations, T of every premise, ¬T of the claim; unsatisfiable only if the claim follows
                 │
                 └ terms ──> reductions (beside): terms of the core;  builtins, sorts, text: SMT-LIB

- `script`: a sequent as a script
- `terms`: terms and formulas, with where they have a value; definitions as functions with equations
- `builtins`: built-ins that are an expression of SMT-LIB
- `sorts`: sorts and their constructors, and where the reals may stand for ℚ
- `text`: the formulas of SMT-LIB as text

Written from kleis/core/terms.py and the rows of kleis/builtins alone, and shares nothing with the engines' encoder
(kleis/prover/smt).  What has no exact words raises `NotExpressible`; nothing is approximated. See
docs/reference/certificates.md §3.2.

Invariants
    * Every interpretation of the goal in which the premises are true and the claim is not gives a model of the script.
    * All names in a script are this package's own: a prefix and a number, or one of the fixed helpers ``h-…``.
"""
