"""PIF: a pure, fuel-bounded lambda calculus whose programs are JSON (docs/reference/pif.md).

    JSON ── language.decode ──▶ Term ──┬─ reference.resolve ──▶ nodes ──────┬── run.stepping ──▶ Value ── language.value_text ──▶ JSON
                                       └─ compiled.generate ──▶ Python ─────┘

- `language/`: what a program is: terms, values, the table of operations, limits, errors
- `analysis/`: what can be said of a term without running it: types, cost, normal form
- `python_syntax/`: functions in a small subset of Python as terms, and terms as Python
- `reference/`: the evaluator that defines the language
- `compiled/`: the fast evaluator; where a run fails it gives up, and `reference` runs it again for the exact error
- `run/`: from a request to an answer

What to call first, in a script (docs/reference/python.md)::

    from pif import Tool, run
    run({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}, 21)["value"]      # raises PifError where there is no value

and in a program that serves others: `run.evaluate.run(Request(code=…, input=…), tools, Budget(fuel=…))`, where `tools`
answers for names (`language.host.Tools`). The answer is a dictionary of one of three forms (value, continuation, error);
nothing that a term or an input can hold makes that `run` raise. A `Budget` is always given, and nothing here does I/O
except tracing to stderr when PIF_DEBUG asks for it and logging a defect. This package imports neither `kleis` nor
`registry`, and nothing before it is used.

A new operation is a row of `language.primitives`, its `language.hostile_cases`, a node in `reference` and, where speed
matters, its code in `compiled.operations`; its cost, if it charges by size, is in `analysis.cost.operation_costs`.

Not promised: how long a unit of fuel takes; that Python's recursion limit stays what it was (runs raise it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pif.run.scripting import Tool, run

__all__ = ["Tool", "run"]


def __getattr__(name: str) -> object:
    """`Tool` from where it lives; `run` is the folder of that name, which can be called."""
    if name == "run":
        import pif.run as folder

        return folder
    if name == "Tool":
        from pif.run import scripting

        return scripting.Tool
    raise AttributeError(f"module pif has no attribute {name}")
