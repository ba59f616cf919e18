"""Programs at a pseudo-terminal.

- `pseudo_terminal`: a program with a terminal of its own: keys, and what is shown
"""
