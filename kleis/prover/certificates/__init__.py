"""Certificates: verdicts that others can check again.

- `certificate`: the file, and its check
- `rechecks`: the jobs of the check: obligations solved again, searches checked again
- `witness_json`: witnesses in files of format 1
- `build`: certificates made from verdicts
- `inductions`: what the engine `induction` leaves, as steps of a certificate
- `questions`: what the engines that ask solvers leave, as steps of a certificate
"""
