"""What `kleis` asks of the prover.

- `verify`: `kleis verify` and `kleis consistent`
- `verify_batch`: `kleis verify --batch`: many propositions, on a cluster too
- `certificates`: certificates written
- `certificate_check`: `kleis certificate check`: what a verdict rests on
- `certificate_export`: `kleis certificate export`: proofs for other provers
- `compare_goals`: whether a certificate is about what its reader holds
- `model`: `kleis model`: models of structures and of constraints
- `machine`: `kleis machine`: what is true of all runs of a state machine
- `explore`: `kleis explore`: the laws of a structure
"""
