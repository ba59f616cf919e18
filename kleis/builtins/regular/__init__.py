"""Regular expressions by derivatives.

- `regex`: regular expressions, derivatives, classes
- `automaton`: equal expressions numbered, automata kept
"""
