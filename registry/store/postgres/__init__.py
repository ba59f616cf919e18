"""The store in a PostgreSQL that several machines share (the extra `postgres`).

- `address`: the URL: read, completed, and shown without its password
- `failures`: errors of the database as errors of the registry
- `tables`: the schema, and how a database comes to have it
- `connections`: how connections are set up, what differs from SQLite, questions put again
- `listening`: changes of others, told as they happen
- `transactions`: changes as transactions, begun again where that is safe, and never in doubt without need
- `session_rows`: theory sessions, and the theories that they are saved as
- `postgres_store`: the store
- `certificate_rows`: certificates of verdicts
- `job_board_rows`: jobs of running servers
- `usage`: how much of it somebody uses
- `locked_rows`: rows that only the holder of their lock changes

What to call first: `registry.store.open_store.open_store`.  See docs/adr/027-postgresql.md.
"""
