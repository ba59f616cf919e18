"""PIF: a pure, fuel-bounded lambda calculus whose programs are JSON.

The way through, in the order in which a program goes:

    JSON ── decode / input ──▶ Term ──┬─ reference.resolve ──▶ nodes ──────┬── stepping ──▶ Value ── values ──▶ JSON
                                      └─ compiled.generate ──▶ Python ─────┘

| module | what it holds |
|---|---|
| `primitives` | THE table: every operation with its forms, types, charge and example |
| `terms`, `decode`, `json_text` | syntax trees; JSON to trees with places and hints; texts that cannot hurt |
| `input`, `given` | the generous reading of a run's input; inputs as the evaluators take them |
| `values` | what terms evaluate to, and how it is printed |
| `budget`, `errors` | the limits of a run; the one exception, with kind, place and hint |
| `reference` | the evaluator that defines the language |
| `compiled` | the quick one, which knows only runs that succeed |
| `oracle` | what a run may ask of a theory |
| `stepping` | one step of a run on either: the one place where the two meet |
| `reification` | between values and terms: splices, `reify`, `reflect` |
| `analysis` | facts, canonical forms, types, cost and dead code, without running |
| `python_syntax` | Python functions of a small subset as terms, and terms as Python |
| `sampling` | inputs of a type, made up and made smaller |
| `trace` | events of a run |
| `evaluate` | runs: requests to answers; what to call first |
| `schema` | the JSON Schema of terms |

To run something: `evaluate.run(Request(code=…, input=…), tools, Budget(fuel=…))`, where `tools` answers for names
(`reference.Tools`). The answer is a dictionary of one of three forms (value, continuation, error); nothing a term or
an input can hold makes `run` raise. A `Budget` is always given, and nothing here does I/O but tracing to stderr when
PIF_DEBUG asks for it. This package imports neither `kleis` nor `registry`.

Not promised: how long a unit of fuel takes; that Python's recursion limit stays what it was (runs raise it).
"""
