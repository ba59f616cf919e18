"""The structure of the project: what a move of code must not change, and what documents say of the code."""
