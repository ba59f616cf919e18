"""Laws of tools: Kleis propositions that are proved, refuted or tested, and kept with a version (docs/reference/registry.md §7).

- `law_text`: the text of a law, read; hints for misspelt names
- `law_report`: the outcome of a law, and what of it is kept
- `law_prover`: the prover as laws use it: one broker, one prover for each theory of tools
- `certificates`: certificates of laws as texts; the one place that knows their format
- `trials`: a law evaluated at made-up assignments, every tool run by PIF
- `sampling`: values made up of a sort, values at its boundaries, and simpler ones
- `definedness/`: where tools have values, as Kleis definitions
- `goals`: theory, claim and lemmas of a question to the prover
- `serving_laws`: which kept laws of tools may serve a law as lemmas, at its types
- `counterexamples`: trials to the report of a law, whether the prover or chance gave the assignment; `refuted` is said here
- `unnamed_terms`: names for terms that are compared, which no code can say
- `source_reading`: whether code reads code
- `difference_search`: two tools run on made-up inputs
- `equivalence`: whether two tools do the same
- `check_laws`: laws decided and labelled
- `certified_laws`: what a certificate is said to show, compared with the law and checked from nothing
- `law_workers`: laws of many versions proved by workers of a cluster
- `on_evolve`: the laws that a new version must keep
- `imported`: laws that are only claimed, after an import or an update, checked or proved anew
- `requests`: `verify` and `analyze … against`
- `prove_library`: makes the certificates of the standard library (`make certificates`)

Call `check_laws.check_laws` first; `on_evolve` and `requests` are what `registry.workspace` calls. An undecided law
is `tested` or `untested` and does not reject a version. Before anything is said to be proved, it is run; what that
contradicts is an `internal` error. A change to statuses or labels also touches `registry.cli.pif.law_views`, the
texts of `registry.server.groups.pif`, and the certificates of the library; definitions of tools are made in
`registry.translate`.
"""
