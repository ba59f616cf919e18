"""The checker of certificates: one small kernel, one file a rule, and nothing of the prover's searches.

    bytes ── format ──> Certificate ── kernel ──> what the verdict rests on, or the step that lies
                          │
                          └ theory and claim are parsed and elaborated again; each step goes to its rule

- `sequent`: what a step has to show, and from what
- `format`: the file, read strictly
- `write_terms`: terms as data
- `read_terms`: data as terms, nothing believed
- `rules/`: one file a rule
- `translation/`: core terms in SMT-LIB, naively
- `solvers`: Z3 and cvc5, asked with fixed ways and budgets

Imports nothing of the engines, the portfolio, the processes and the engines' encoder. See
docs/reference/certificates.md §1.
"""
