"""Scopes: what a name may stand for, from near to far.

- `scope`: the kinds of candidates, and the protocol of a scope
- `declared_builtins`: declarations that have the name of a built-in
- `structure_scope`: a structure at its arguments, and the scope of its text
- `inheritance`: a structure read with its parents and nested structures
- `implements`: implementations and their obligations
- `global_scope`: global names; the scope of a proposition
- `section_links`: sections (structures without parameters) linked by what they share
- `structure_search`: the structures that fit a proposition

Names themselves are looked up in `kleis.theory`; sorts are read by `kleis.elaborate.sorts`.
"""
