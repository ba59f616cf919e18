"""Many processes as one server over HTTP (docs/reference/serving.md §3.8, ADR 038). No MCP library here.

- `orders`: what the supervisor and its workers say to each other
- `session_names`: names of sessions that say who holds them, and that nobody else can make
- `session_table`: what the supervisor keeps of sessions
- `links`: requests passed on, and questions, between workers
- `kept_connections`: connections that outlive their worker, so that whoever waits is told
- `member`: one worker among others, from within
- `supervisor`: the process above them: starts, restarts, renews and ends them

`registry.server.serve` starts the supervisor and is where a worker begins; `registry.server.mcp` serves with a `member`. What
principals use in all workers is in `registry.access.shared_use`.
"""
