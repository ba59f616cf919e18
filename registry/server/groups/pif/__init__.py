"""Evolve, run, analyze, own tools.

- `tool_specs`: tools as clients see
- `exposure`: evolved tools listed
- `group`: the handlers
"""
