"""Tools and versions that outlive the process.

- `failures`: errors of SQLite and of the disk as errors of the registry
- `following`: those who are told of changes
- `protocol`: what a store is, and the arguments of its methods
- `exchange/`: tools as a directory of files, exported and imported
- `sql/`: what the stores have in common
- `sqlite/`: the store in one file
- `postgres/`: the store in a PostgreSQL that several machines share
- `open_store`: the store that a home and a URL ask for
- `job_board`: what a database keeps of the jobs of running servers
- `shared_state`: what a database keeps for several machines besides tools
- `state_copying`: sessions, jobs and certificates, copied between a home and a database
- `migrate`: everything of one store, copied to another that is empty
- `timed_store`: a store whose operations are timed

What to call first: `open_store(home, url)`; the rest of the registry knows `protocol.Store` alone.

A new fact about tools usually touches `protocol`, the tables of `sqlite` and `postgres`, the questions and changes of `sql`, the fields of
`exchange.file_format`, and `registry.workspace`.  See docs/reference/registry.md §2, docs/adr/004-store.md.
"""
