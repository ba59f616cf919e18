"""What can be said of a term without running it: facts, types, cost, normal form, dead code.

- `work`: the budget of steps and the stop flag that an analysis is given
- `facts`: names, operations, tools and capabilities, read off a term
- `types/`: type inference with rows; start at `tool_types.typing_of`
- `cost/`: fuel bounds as polynomials in input sizes; start at `bounds.cost_of`
- `normal_form/`: canonical form and dead code; start at `normalize.normalize`

Nothing here evaluates. The facts are linear in the term. Every other analysis takes a `work.Work`, and says what it did
not finish.
"""
