"""What several commands of `kleis` use.

- `options`: common options and arguments
- `loading`: the files that a command is about
- `reports`: problems and verdicts for people
"""
