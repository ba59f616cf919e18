"""Core terms back to source that is read as the same term.

- `print_types`: sorts, dimensions, numerals
- `print_matches`: testers and selectors to `match`
- `printed_names`: names in printed form
- `print_terms`: core terms to expressions
- `describe_goal`: a goal for people, programs
"""
