"""The store in one file.

- `connections`: connections, readers in turn
- `tables`: the schema, prepared
- `version_counter`: writers' lock, change counter
- `queries`: questions at a snapshot
- `changes`: changes in one transaction
- `maintenance`: backup and integrity
- `sqlite_store`: the store
"""
