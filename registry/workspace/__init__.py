"""Everything one can do with PIF tools, for the server and the commands alike.

- `requests`: the arguments of each operation, one type an operation
- `answer_shapes`: the fields of their answers
- `run_scheduling`: runs tried under small limits first; how many may go on at once
- `tool_runner`: runs of tools and terms under the limits, and what is said of their answers
- `dependants`: the users of a tool: found, checked, drawn
- `import_check`: the examples of imported tools, run
- `show_tool`: one tool with its code, laws and versions
- `tool_list`: what `list` shows: tools, one's teams, and matches of the library and of teams
- `evolve`: a new version of a tool, checked before it is kept
- `workspace`: `Workspace`, with one method an operation: what to call first

A new operation is a method here, a tool in `registry.server.groups.pif` and a command in `registry.cli.pif`.
"""
