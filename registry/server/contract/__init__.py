"""What a group of tools is.

- `group`: tool, answer, group, context
- `schemas`: argument schemas (gone in move 3)
- `prompts`: workflows by group
- `settings`: options, shared site
"""
