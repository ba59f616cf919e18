"""`explore` with a tool as generator.

- `tool_subject`: candidate laws about tools
- `explore_request`: generator run, answers tabled
"""
