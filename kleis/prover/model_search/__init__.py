"""Models that one asks for: of a structure, of a section, or of constraints; the next one, all of them, the best one.

See docs/reference/proving.md §5.10.  Call `search.find_models`.  A model of constraints is a counterexample of their
negation, so all that is shown here passes the check that counterexamples pass (`kleis.prover.evidence`).

- `wanted`: what is asked, and what is answered
- `constraints`: what is asked as a goal whose counterexamples are the models
- `isomorphism`: whether two finite models are copies of each other
- `finite_tables`: a job: tables of given sizes, each isomorphism class once
- `assignments`: a job: values of unknowns by Z3, each other than those before
- `objectives`: a job: a good value of a number that is to be small or large
- `confirm`: a job: what was found, evaluated exactly
- `enumeration`: the jobs asked again until there are enough models, or no more
- `optimum`: the best model, and the proof that none is better
- `search`: questions to answers
"""
