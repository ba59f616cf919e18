"""The compiled back end: terms to Python source, for runs that succeed (docs/reference/pif.md §14).

Compiled code reports success or nothing. Where a run breaks any rule it ends without saying which; `pif.run.stepping`
then has the reference evaluator run it from the start. What must be exact is therefore one thing only: a run succeeds
here if and only if it does there, with the same value and the same fuel.

- `source`: blocks of lines, their charges and depth tests, and how functions are written out
- `source_grammar`: what lines of generated source look like
- `source_policy`: what source that the grammar does not know may hold (RestrictedPython)
- `scope`: expressions, names in scope, kinds of values
- `emitter`: the state of a compilation: names, constants, checks
- `flat_lists`: lists that are gathered and walked as Python's lists
- `record_makers`: functions that make records of a few fields
- `operations`: arithmetic, comparison, logic; lists, pairs, records, strings
- `functions`: calls and closures
- `searches`: loops that only look for a value
- `side_by_side`: loops that only pair the items of two lists
- `demands`: what a loop's step surely asks of its accumulator
- `owned_records`: records that a loop may change where they are
- `loops`: folds over lists and ranges
- `control`: the walk over a term; everything else
- `generate`: the source of a whole unit
- `services`: the names that generated code finds in its globals
- `text_services`: what the runtime does with strings
- `record_services`: what the runtime does with records
- `runtime`: the globals that generated code runs on
- `units`: compiled units by content, within bounded memory, and attempts at runs with them

A unit belongs to a piece of code and a kind of argument. A first unit takes every integer to be
small, and branches of loops to have room; a run that meets a large one, or a loop near the limit of depth, starts again
on a unit that checks the size of each, and the depth of every branch. Charges and their reasons are the reference's
(`pif.reference`, `pif.language.primitives`), and change together with them.
"""
