"""Familiar finite structures as models and countermodels: one engine and its catalogue.

- `tables`: constructions as operation tables
- `groups`: groups, loops, quandles, homomorphisms, actions
- `rings`: rings, near-rings, Lie algebras, modules
- `orders`: lattices, algebras of logics, orders, graphs
- `groupoids`: semigroups, maps, quasigroups, affine operations
- `entries`: the catalogue, by name and size
- `engine`: the engine: symbols read as operations
"""
