"""Claims made at random, nearly true ones first, and what they come to at points, by arithmetic of this folder's own.

`inexact` numbers with bounds of their error · `point_values` values of terms at a point · `points` values to try ·
`nearly_true` true laws, changed in one place · `form_values` terms at random, and their forms at a point ·
`small_models` theories of one carrier, with all small models.
"""
