"""The group `policy`: a gate for an agent's actions. The work is in `kleis.policy`.

- `requests`: the arguments of each tool
- `tool_specs`: the tools as clients see them
- `text`: answers as text
- `group`: the handlers
"""
