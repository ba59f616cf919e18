"""The store in one SQLite file of the home.

- `connections`: connections, and the readers that threads share
- `tables`: the schema, and how a file comes to have it
- `version_counter`: the lock of writers, and the count of their writes (not the versions of tools)
- `queries`: what is stored at a snapshot
- `changes`: changes inside one transaction; the next version number of a tool
- `maintenance`: backup and integrity
- `sqlite_store`: the store
"""
