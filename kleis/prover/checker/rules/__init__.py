"""The rules of the checker, a file each: what a step of a proof, or a witness, has to satisfy.

- `evaluation`: a claim that is computed
- `regular`: a claim that automata decide
- `regular_claims`: claims as formulas over memberships
- `regular_patterns`: constant patterns and lengths as languages
- `regular_memberships`: strings of literals and variables in languages
- `tables`: finite carriers with tables, evaluated
- `assignment`: values of variables and symbols, evaluated; what stays open becomes a leaf
- `interpretation`: carriers as sets of numbers, symbols as terms; everything becomes a leaf
- `interpreted_goals`: goals under an interpretation, and their leaves
- `named_parts`: what witnesses name, in the goal's order
"""
