"""A session on disk and in memory.

- `errors`: refusals of sessions
- `places`: where sessions are
- `storage`: whole writes, locks, names
- `record`: session.kleis text and items
- `imported_theory`: the shared imported theory
- `universe`: a session as theory
"""
