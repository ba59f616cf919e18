"""The executable reference semantics: brute force over finite ranges.

- `truth`: truth in three values
- `ranges`: values that quantifiers try
- `value_equality`: equality as the semantics has
- `reference`: the evaluator of core terms
- `models`: every interpretation in bounds
- `foreign_values`: outside values: sort, denoting term
"""
