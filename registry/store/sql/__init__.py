"""What the stores have in common: the questions and changes in SQL, written once for SQLite and PostgreSQL.

- `rows`: what a connection must be able to do
- `queries`: what is stored at a snapshot
- `snapshot`: the registry after one event
- `changes`: changes inside one transaction; the next version number of a tool
- `integrity`: what contradicts itself in the tables
- `copying`: the tables of one store copied to another, every hash checked
- `sql_store`: the operations of a store over the two things that each store does its own way: reading and writing

The statements are those of SQLite with parameters `?` and `:name`; `postgres.connections` spells them for PostgreSQL.
Both keep the same tables (`sqlite.tables`, `postgres.tables`).
"""
