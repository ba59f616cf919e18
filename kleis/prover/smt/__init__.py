"""Tasks as SMT-LIB scripts.  Call `script.encode`.

- `smtlib_text`: s-expressions, names, literals, characters
- `encode_sorts`: sorts, and the guards of ℕ
- `encode_builtins`: one line for each built-in operation
- `encode_terms`: terms and formulas with their definedness
- `encode_definitions`: macros and recursive functions
- `script`: the script of a task

Every encoding is held against `kleis.semantics.reference` by tests; the two change together.
"""
