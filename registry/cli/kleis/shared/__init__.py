"""What several commands of `kleis` use.

- `options`: common options and arguments
- `loading`: the loader of files
- `named_files`: the files that a command is about
- `patience`: limits of time and effort, and what a terminal shows meanwhile
- `question`: a question to the prover, and the prover that answers it
- `pulled`: certificates that were pulled, in the place of searches
- `workers`: the workers of `--cluster`, asked ahead of a command
- `strict`: names in files that nothing declares, as errors
- `implementations`: whether the implementations of a file are models
- `clashes`: axioms of a file that clash, and a short look for them
- `reports`: problems and verdicts for people
"""
