"""Declarations of the core in Lean, in the order that Lean needs.

- `inductive_types`: data types and records
- `requirements`: what terms depend on, directly or through definitions
- `class_scopes`: classes, their uses, the scope of one declaration
- `lean_definitions`: definitions
- `termination_proofs`: what becomes smaller in a recursion, and the proof
- `classes`: structures as classes
- `usage`: which classes a declaration takes
"""
