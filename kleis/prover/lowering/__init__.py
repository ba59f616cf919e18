"""Goals rewritten to what provers can express; claim, axioms and lemmas mean the same before and after.

- `list_terms`: list built-ins as other terms
- `recursive_lists`: list built-ins as recursive definitions
- `match_equations`: definitions by `match` as equations
- `defunctionalize`: functions as arguments removed; what to call first
- `written_back`: terms of a lowered task in the words of the task before
"""
