"""What can be said of a term without running it: facts, types, cost, normal form, dead code.

- `work`: the budget of steps and the stop flag that an analysis is given
- `facts`: names, operations, tools and capabilities, read off a term
- `types/`: type inference with rows; start at `tool_types.typing_of`
- `cost/`: fuel bounds as polynomials in input sizes; start at `bounds.cost_of`
- `normal_form/`: canonical form and dead code; start at `normalize.normalize`

Nothing here evaluates. Every analysis takes a `work.Work` (the facts, which are linear, where they are asked for often), and says what it did
not finish.
"""
