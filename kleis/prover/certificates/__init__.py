"""Verdicts that others can check again.

- `certificate`: the file, and its check
- `rechecks`: obligations and searches redone
- `build`: certificates from verdicts
"""
