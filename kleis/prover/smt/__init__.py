"""Tasks as SMT-LIB scripts.

- `smtlib_text`: s-expressions, names, characters
- `encode_sorts`: sorts, guards of ℕ
- `encode_builtins`: one line an operation
- `encode_terms`: terms with their definedness
- `encode_definitions`: macros, recursive functions
- `script`: the script of a task
"""
