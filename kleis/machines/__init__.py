"""State machines: what a theory declares by `init` and `next`, and what is true of all their runs.

A state is the values of the parameters of `init`; `next` is a relation between two states, or a function.  Call
`check.check_machine`.  Every question is a proposition of Kleis that the prover decides, and every trace is a model that
was evaluated exactly, so nothing here has to be trusted with more than writing the propositions down.

- `machine`: the machine that a theory declares
- `properties`: what is asked of it: invariants, variants, states to reach, an end of all runs
- `claims`: the propositions that answer, about states that are numbered along a run
- `report`: what was found, as values
- `search`: runs of bounded length to a state, by the search for models
- `induction`: proofs that something holds in every run
- `reachable`: the reachable states of a machine that has few, as an invariant
- `enabled`: where a machine could stop, as a guess
- `check`: questions to reports

A kind of property is added in `properties`, `claims` and `check`.  See docs/reference/proving.md §5.11.
"""
