"""The checker of certificates: one small kernel, one file a rule, and nothing of the prover's searches.

    bytes ── strict_reading ──> Certificate ── kernel ──> what the verdict rests on, or the step that lies
                                  │
                                  └ theory and claim are parsed and elaborated again; each step goes to its rule

- `sequent`: what a step has to show, and from what
- `format`: the fields of a certificate
- `strict_reading`: the one way to write a file, and to read it
- `write_terms`: terms as data
- `read_terms`: data as terms, nothing believed
- `values`: values as data, and data as values, nothing believed
- `rules/`: one file a rule
- `reductions/`: terms made simpler before they are translated
- `translation/`: the naive translation to SMT-LIB
- `solvers`: solvers asked, in fixed ways
- `kernel`: steps linked and judged
- `check_model`: witnesses of all kinds, by their rules
- `show_models`: checked models as the evidence that people see
- `write_witness`: what engines find, as data

Imports nothing of the engines, the portfolio, the processes and the engines' encoder. See
docs/reference/certificates.md §1.
"""
