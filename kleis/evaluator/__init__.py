"""Exact concrete evaluation: expressions to values and example blocks to results, under a budget.

- `machine`: the machine and its stack; pieces of compiled code
- `compilation_context`: what the parts of the compiler need of it, as protocols
- `global_calls`: calls of definitions, constructors and builtins, compiled
- `matching`: patterns, `let` and `match`, compiled
- `logical_operators`: ∧ ∨ → and finite quantifiers, compiled
- `enclosing`: `interval` and `enclose`, rational bounds of what is written
- `compiler`: expressions to code
- `outcomes`: results and warnings, as values
- `environment`: what global names stand for; definitions, compiled on first use
- `evaluate`: an expression to its value
- `examples`: an example block to one result per assertion

What to call
    environment.environment_of(declarations, granted_root=None) -> Environment
        `declarations` is a `Program` (without imports) or anything that fulfils `environment.Declarations`, as the
        loader's `Theory` does.  Cheap: nothing is evaluated.  `granted_root` is the one directory that `readFile`
        may read; by default there is none.
    evaluate.evaluate(expression, environment, budget) -> Evaluation
        Raises `EvaluationError` where there is no value, `BudgetError` where the budget is used up, and nothing else.
    examples.run_example(environment, example, budget) -> ExampleResult
        Never raises: errors become part of the result.  The budget is for the whole block.

What is promised (see docs/reference/kleis.md §6)
    * Integers and rationals are exact.  A float comes only from a transcendental builtin or from a float.
    * An equation between unbound symbols is never decided: the answer is a symbolic value, in an assertion the
      status ``undecided``.
    * ∧ ∨ → are strong Kleene: ``x = 0 ∨ x/x = 1`` holds at x = 0.
    * No input crashes the host: recursion is on a stack of the machine's own, and every loop pays the budget.
    * Nothing here asks a solver.  Quantifiers over infinite types are symbolic values.

The built-in operations are in `kleis/builtins/`.  A change of what an expression evaluates to touches the encoding of
propositions too (`kleis/semantics/reference.py`, `kleis/prover/smt/`): the properties in the tests compare them.
"""
