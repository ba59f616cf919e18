"""Goals rewritten to what provers can express; claim, axioms and lemmas mean the same before and after.

- `list_terms`: list built-ins as other terms
- `recursive_lists`: list built-ins as recursive definitions
- `match_equations`: definitions by `match` as equations
- `named_selections`: names for what functions capture of matched values
- `defunctionalize`: functions as arguments removed; what to call first
- `bounded_quantifiers`: quantifiers over few integers, written out
- `written_back`: terms of a lowered task in the words of the task before
"""
