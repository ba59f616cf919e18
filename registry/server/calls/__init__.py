"""One call of a tool, from its name and arguments to its answer.

- `argument_check`: arguments converted to the tool's type, or an error that helps
- `confirmation`: a question to the person before something is destroyed
- `contexts`: worker threads, progress, announcements of changes
- `stopping`: the stop of a server: every call is answered
- `dispatch`: the tool looked up, called and answered; a defect becomes an `internal` error
- `scoped_tools`: tools that several groups have, as one tool with a `scope`

`dispatch.Calls` is what `registry.server.mcp` calls. Texts of errors are pinned by tests/registry/server.
"""
