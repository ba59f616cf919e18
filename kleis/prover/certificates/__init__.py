"""Certificates: verdicts that others can check again.  The checker itself is `kleis.prover.checker`.

- `check`: a certificate checked in a child process, and the report
- `build`: certificates made from verdicts
- `inductions`: what the engine `induction` leaves, as steps of a certificate
- `questions`: what the engines that ask solvers leave, as steps of a certificate
"""
