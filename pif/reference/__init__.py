"""The reference evaluator: it alone defines PIF's values, fuel, depth, errors and paths (docs/reference/pif.md §13).

A term is *resolved* once against the names in scope: every variable becomes a number of steps along the environment,
every operation a node object with one method, `ev`. Evaluation is plain recursion over those nodes: one Python frame
for each level of depth, no other machinery.

- `meter`: where the fuel of a run went
- `machine`: the state of one run (fuel, tools, cancellation), the `Node` class, how errors get their places
- `run_input`: the input of a run: a value made straight from literals, or a term to evaluate
- `scalars`: arithmetic, comparison, logic, equality
- `structures`: lists, pairs, records, strings
- `control`: variables, functions, application, `let`, `if`, `fold`, `eval`, `self`, `continue`
- `quotation`: `quote` with `unquote`, `code_of`, `reify`, `reflect`, `analyze`, `normalize`
- `theory_questions`: `kleis`, `verify`, `axioms`, `operations`, `structures`
- `shortcuts`: nodes that do the work of two or three at once in the ordinary case
- `resolve`: terms to nodes
- `trace`: every evaluation step as an event
- `metered`: nodes that tell the meter

At a node, in this order: its charge of 1, the depth test, static charges, operands left to right, types left to
right, the size test, the dynamic charge, the operation. At a call the depth is tested before the charge. So a charge is
decided in the `ev` of its node: `language.primitives` states it in words, `compiled` repeats it, `analysis.cost` bounds it.

An environment is a chain of pairs `(value, outer)` that ends in a flat tuple, the values of the variables that code run by
`eval` may use. Steps along the chain are bounded by the nesting of one written term, however many evals are stacked.
"""
