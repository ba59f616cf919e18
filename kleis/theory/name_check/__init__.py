"""Are names known, with as many arguments as they take.

- `known_names`: what is known, problems found
- `structure_members`: members, inherited and renamed
- `uses`: names in expressions, types, patterns
- `check_names`: the check of a program
"""
