"""The exact concrete evaluator: expressions to values and example blocks to results, under a budget.

Specification: kleis-language.md §4 (OURS), issue 3 item 4, proving.md §1 (numbers, definedness).

What to call
    kleis.evaluator.environment
        environment_of(declarations: Declarations | Program, *, granted_root: Path | None = None) -> Environment
            `declarations` is a `Program` (without imports) or anything that fulfils the `Declarations` protocol
            of kleis/evaluator/environment.py (the loader's Theory).  Cheap: nothing is evaluated, and
            definitions are compiled when first called.  `granted_root` is the one directory `readFile` may read;
            by default there is none.
        Environment.bind(name: str, value: Value) -> Environment
            A new environment in which `name` has `value`.
        Environment.warnings() -> tuple[Warning, ...]
            The definitions that shadow a builtin.
    kleis.evaluator.evaluate
        evaluate(expression: Expression, environment: Environment, budget: Budget) -> Evaluation
            Raises `EvaluationError` where there is no value, `BudgetError` where the budget is used up, and
            nothing else.
    kleis.evaluator.examples
        run_example(environment: Environment, example: Example, budget: Budget) -> ExampleResult
            Never raises: refusals become part of the result.  The budget is for the whole block.
    kleis.values
        render_value(value: Value, *, limit: int = …) -> str
            A value as Kleis text; `kleis eval` prints this.
    kleis.budget
        STANDARD_BUDGET, Budget(steps=…, depth=…, size=…)

What is promised
    * Integers and rationals are exact.  A float comes only from a transcendental builtin or from a float, and
      prints with a leading ``≈``.
    * An equation between unbound symbols is never decided: the answer is a symbolic value, in an assertion the
      status ``undecided``.
    * ∧ ∨ ¬ → are strong Kleene: ``x = 0 ∨ x/x = 1`` holds at x = 0.
    * No input crashes the host: recursion is on a stack of our own, and every loop pays the budget.
    * Nothing here asks a solver.  Quantifiers over infinite types are symbolic values.
"""
