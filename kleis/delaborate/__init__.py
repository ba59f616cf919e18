"""Core terms back to source that elaborates to the same term.

- `print_types`: sorts, dimensions and numerals
- `print_matches`: testers and selectors to `match`
- `printed_names`: names of symbols, carriers and variables in printed form
- `print_terms`: core terms to expressions
- `describe_goal`: a goal as text, for people and programs

Call `describe_goal.describe`, `proposition_of` or `expression_of`.  Every module inverts a part of
`kleis/elaborate/`: what elaboration makes of a form changes here too.
"""
