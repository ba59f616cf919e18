"""Tools and versions that outlive the process.

- `failures`: errors of SQLite and of the disk as errors of the registry
- `protocol`: what a store is, and the arguments of its methods
- `exchange/`: tools as a directory of files, exported and imported
- `sqlite/`: the store in one file
- `timed_store`: a store whose operations are timed

What to call first: `SqliteStore(home)`; the rest of the registry knows `protocol.Store` alone.

A new fact about tools usually touches `protocol`, the tables, questions and changes of `sqlite`, the fields of
`exchange.file_format`, and `registry.workspace`.  See docs/reference/registry.md §2, docs/adr/004-store.md.
"""
