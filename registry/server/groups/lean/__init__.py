"""Lean jobs.

- `tool_specs`: tools as clients see
- `answers`: jobs as flat objects
- `kleis_route`: propositions decided here first
- `group`: the handlers
"""
