"""Terms of the core made simpler before they are translated; still terms of the core, no solver text.

- `bounded`: the whole numbers that a quantifier ranges over
- `specialise`: definitions at the functions that they are given, case by case
"""
