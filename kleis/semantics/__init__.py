"""The executable reference semantics of the typed core: brute force over finite ranges.

- `truth`: truth in three values, and sets of truth values
- `ranges`: the value model, and the values that quantifiers try
- `value_equality`: equality of values
- `rational_bounds`: arithmetic on rational bounds
- `elementary_bounds`: series with proved remainders: π, exp, ln, roots, circular functions, powers
- `real_functions`: the built-in real functions on bounds
- `enclosures`: terms between rationals, and comparisons by them
- `reference`: the evaluator of core terms
- `bounded_quantifiers`: the evaluator with quantifiers over what bounds leave of infinite sorts
- `models`: every interpretation within bounds
- `foreign_values`: values from outside, checked against a sort, and terms that denote them

Call `reference.Evaluator` to evaluate a term, `models.decide` to decide a goal within bounds. Slow and obvious: it is
the judge of every witness and of every other engine in tests, and gives no verdicts itself. A rule changed here changes
what every encoding below `kleis.prover` and `kleis.lean.export` must say. See docs/reference/proving.md §4.4.
"""
