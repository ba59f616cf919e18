"""Used by several commands.

- `options`: common click options
- `loading`: files a command is about
- `reports`: problems and verdicts shown
"""
