"""The store in one SQLite file of the home.

- `connections`: connections, and the readers that threads share
- `tables`: the schema, and how a file comes to have it
- `version_counter`: the lock of writers, and the count of their writes (not the versions of tools)
- `watching`: what others have written, told soon after
- `maintenance`: backup and integrity
- `traces`: the files of a home, and what they tell where the database does not
- `sqlite_store`: the store: how it reads and writes; what it does is `registry.store.sql`
- `read_only_store`: the same, never written: read-only disks and replicas
- `rescue`: what of a damaged store can be read, as a fresh store
"""
