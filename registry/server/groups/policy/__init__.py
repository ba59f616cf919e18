"""The gate.

- `tool_specs`: tools as clients see
- `text`: answers as text
- `group`: the handlers
"""
