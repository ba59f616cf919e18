"""Certificates: verdicts that others can check again.  The checker itself is `kleis.prover.checker`.

- `check`: a certificate checked in a child process, and the report
- `build`: certificates made from verdicts
- `left_by_engines`: what engines leave, as steps and witnesses of certificates
- `laws_in_proofs`: laws of the library that proofs use, in certificates
- `of_library`: the laws of the library proved and written
- `tstp`: proofs by clauses and by rewriting as derivations for other provers
- `proof_steps`: the proofs behind verdicts, as data for other languages
- `inductions`: what the engine `induction` leaves, as steps of a certificate
- `questions`: what the engines that ask solvers leave, as steps of a certificate
- `proof_words`: proofs in words
- `shared_verdicts`: verdicts that several machines share, each believed when its certificate has been checked
- `claimed_verdicts`: the same for certificates that came to a home as files
- `explained`: verdicts with their proofs in words
"""
