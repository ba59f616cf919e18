"""The compiled back end: terms → Python source, for runs that succeed (evaluator.md §3, §4).

Compiled code reports success or nothing. Where a run breaks any rule it ends without saying which; `pif.run.stepping` then
has the reference evaluator run it from the start. What must be exact is therefore one thing only: a run succeeds here
if and only if it does there, with the same value and the same fuel.

| module | what it holds |
|---|---|
| `kinds` | the kinds of values, and what can be inferred of them |
| `scope` | expressions, names in scope, facts about terms |
| `source` | blocks of lines, their charges and depth tests, and how functions are written out |
| `emitter` | the state of a compilation: names, constants, checks |
| `scalars`, `structures` | operations |
| `functions`, `loops`, `control` | calls and closures; folds; everything else |
| `generate` | the whole of a unit |
| `policy` | what generated source may hold (RestrictedPython) |
| `runtime` | the globals that generated code runs on |
| `unit` | compiled units, and attempts at runs with them |
| `cache` | units by content, within bounded memory |

A unit belongs to a piece of code and a kind of argument. Integers are small until one is not: then the run starts
again on a unit that weighs them. Charges and their reasons are the reference's (`reference`, `primitives`); the two
back ends are held together by `tests/properties/test_pif_compiled.py` and by the mutants of `tests/pif/compiled/`.
"""
