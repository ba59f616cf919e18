"""Questions about terms that need no run: facts, canonical form, types, cost, dead code (pif-language.md §2 "analysis").

Nothing here evaluates; every function is linear in the term, except where its docstring says otherwise. Types: start
at `tool_types.typing_of`; `inference` has the rules, `types` the unification, `type_text` the notation. Cost: start at `cost.cost_of`; `measures` are the
values it computes with, `cost_operations` the operations on them, `folding_measures` the loops.
"""
