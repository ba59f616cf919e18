"""A session on disk and in memory.

- `errors`: the error of sessions
- `places`: where sessions and saved theories are
- `storage`: `kleis.durable_files` for sessions: locks, and errors as `SessionError`; names as file names
- `record`: the text of session.kleis, and its items
- `shared_theories`: saved theories that sessions of several owners share
- `imported_theory`: the theory of what sessions import, shared among them
- `universe`: a session as one immutable theory

The format of session.kleis is docs/reference/registry.md §12.2; old files must stay readable.
"""
