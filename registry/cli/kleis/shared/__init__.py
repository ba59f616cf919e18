"""What several commands of `kleis` use.

- `options`: common options and arguments
- `loading`: the files that a command is about
- `patience`: limits of time and effort, and what a terminal shows meanwhile
- `question`: a question to the prover, and the prover that answers it
- `reports`: problems and verdicts for people
"""
