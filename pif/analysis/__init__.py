"""Questions about terms that need no run: facts, canonical form (pif-language.md §2 "analysis").

Nothing here evaluates; every function is linear in the term, except where its docstring says otherwise.
"""
