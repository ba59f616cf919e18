"""Canonical form by sound rewriting.

- `static_facts`: what a reduced term guarantees
- `rewrite_rules`: rules for one node
- `normalize`: one pass, binders by number
- `dead_code`: parts that never matter
"""
