"""Are names known, and used with as many arguments as they take?

- `structure_members`: the members of structures, inherited and renamed ones included
- `known_names`: the names that are known where one stands; the problems found
- `uses`: names in expressions, patterns and types
- `check_names`: the check of a program; call this

A new problem gets its code where it is found, and a row in docs/reference/kleis.md §5.5.
"""
