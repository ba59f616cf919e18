"""The bridge between the two languages: PIF tools that ask theories, theories that speak of PIF tools.

Tools that ask theories (ADR 016):

| module | what it holds |
|---|---|
| `kleis_terms` | quoted PIF terms as Kleis expressions, and back |
| `oracles`, `attempts`, `snapshots` | the theory that a run may ask (`pif.language.host.Theory`), its prover's attempts, one for each session |
| `answers`, `listings` | verdicts and declarations as values of PIF |
| `exploring` | `explore`: a generator is run, what it gives is decided, the answer is a table |
| `explore`, `equations`, `finite_testing` | conjectures: tested on models, rewritten by what is proved, proved or refuted |
| `exploring_tools` | the same about tools |

Theories that speak of tools (ADR 015):

| module | what it holds |
|---|---|
| `laws`, `law_text`, `law_questions`, `law_trials`, `law_reports` | laws of tools: read, proved, refuted or tested |
| `companions`, `having_values`, `shortening` | where tools have values, as definitions; laws where they have |
| `tools_in_kleis`, `translation` | tools as Kleis definitions; the modules below hold its parts |
| `applications`, `conditions`, `loops`, `operations`, `parts`, `putting_in`, `node_types`, `names`, `forms` | calls, choices, folds, the table's operations, bindings, functions put in, types, names, syntax |
| `proving` | the prover as laws use it |
| `trials`, `points`, `exchange` | laws tried at made-up values, every tool run by PIF |
| `equivalence` | whether two tools do the same |
"""
