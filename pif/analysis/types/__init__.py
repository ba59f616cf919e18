"""Type inference with rows, for terms and for sets of tools.

- `unification`: types, and making two equal
- `type_text`: types and problems as text
- `inference`: the most general type
- `tool_types`: types of mutually dependent tools
- `sampling`: inputs of a type, shrunk
"""
