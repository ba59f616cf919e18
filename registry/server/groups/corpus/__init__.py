"""Papers.

- `tool_specs`: tools as clients see
- `group`: handlers and resources
"""
