"""The group `corpus`: papers with claims linked to Lean declarations. The work is in `kleis.corpus`.

- `requests`: the arguments of each tool
- `tool_specs`: the tools as clients see them
- `group`: the handlers and the resources
"""
