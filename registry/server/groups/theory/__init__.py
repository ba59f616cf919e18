"""The group `theory`: theory sessions. The work is in `kleis.sessions`.

- `requests`: the arguments of each tool
- `tool_specs`: the tools as clients see them
- `text`: answers as text
- `group`: the handlers
- `explore_tool`: the tool `explore`, added to the group through `EXTRA_TOOLS`
"""
