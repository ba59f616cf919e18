"""Theories that PIF runs ask (docs/reference/registry.md §10).

- `answer_records`: verdicts, listings and Kleis values as PIF values
- `quoted_terms`: quoted PIF terms as Kleis expressions, and back
- `theory_oracle`: the host of a run (`pif.language.host.Theory`) over a theory and its prover

`registry.server` makes `theory_oracle.Snapshots`, one snapshot for each session; `registry.cli` makes a `TheorySnapshot`
of a file. Runs ask through the views that `TheorySnapshot.for_run` gives. The content and the fuel of answers are
specified in docs/reference/pif.md §2.12, and their types are in `pif.language.primitives`: change all three together.
Verdicts are shown from `kleis.sessions.answer_fields`, as everywhere.
"""
