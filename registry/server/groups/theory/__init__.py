"""Sessions.

- `tool_specs`: tools as clients see
- `text`: answers as text
- `group`: the handlers
- `explore_tool`: the tool `explore`
"""
