"""The checker of certificates: one small kernel, one file a rule, and nothing of the prover's searches.

    bytes ── strict_reading ──> Certificate ── kernel ──> what the verdict rests on, or the step that lies
                                  │
                                  └ theory and claim are parsed and elaborated again; each step goes to its rule

- `sequent`: what a step has to show, and from what
- `format`: the fields of a certificate
- `strict_reading`: the one way to write a file, and to read it
- `write_terms`: terms as data
- `read_terms`: data as terms, nothing believed
- `rules/`: one file a rule

Imports nothing of the engines, the portfolio, the processes and the engines' encoder. See
docs/reference/certificates.md §1.
"""
