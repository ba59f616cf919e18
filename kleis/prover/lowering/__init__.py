"""Goals to what provers can say.

- `list_terms`: list built-ins as terms
- `recursive_lists`: list built-ins by recursion
- `match_equations`: definitions by `match` as equations
- `defunctionalize`: functions passed through, removed
"""
