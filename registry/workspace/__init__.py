"""Everything one can do with tools, for server and commands.

- `run_scheduling`: how many runs, quick ones
- `dependants`: users of a tool, drawn
- `show_tool`: one tool with everything
- `evolve`: a new version, checked
- `workspace`: one method an operation
"""
