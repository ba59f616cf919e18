"""Declarations in Lean's order.

- `inductive_types`: data types and records
- `requirements`: what terms need
- `class_scopes`: classes, uses, scopes
- `lean_definitions`: definitions with termination
- `classes`: structures as classes
- `usage`: classes a declaration takes
"""
