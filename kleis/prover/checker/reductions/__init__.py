"""Terms of the core made simpler before they are translated; still terms of the core, no solver text.

- `bounded`: the whole numbers that a quantifier ranges over
- `builtin_definitions`: what built-ins compute, as definitions by simpler ones
- `specialise`: definitions at the functions that they are given, case by case
"""
