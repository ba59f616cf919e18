"""One call of a tool, from its name and arguments to its answer.

- `argument_check`: arguments converted to the tool's type, or an error that helps
- `confirmation`: a question to the person before something is destroyed
- `lanes`: how many calls of a kind run at a time, and whose turn is next
- `waking`: sleep that ends when something has changed
- `workers`: threads
- `searches`: processes of long searches, from the server's side
- `search_process`: the same from within
- `schedule`: lanes, threads and processes together
- `recorded_jobs`: jobs that a database knows of too
- `jobs`: work that outlives its call
- `contexts`: the context of one call: progress, cancellation; announcements of changes
- `observation`: what is seen of calls from outside
- `stopping`: the stop of a server: every call is answered
- `dispatch`: the tool looked up, called and answered; a defect becomes an `internal` error
- `scoped_tools`: tools that several groups have, as one tool with a `scope`
- `read_only_tools`: a group without the tools that may change something

`dispatch.Calls` is what `registry.server.mcp` calls. Texts of errors are pinned by tests/registry/server.
"""
