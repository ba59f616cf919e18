"""Exploration: which of some candidate laws hold in every model of a structure.

Call `explore.explore`.

- `equations`: canonical equations, and rewriting by known ones
- `generation`: all equations up to a size
- `finite_testing`: equations tested on finite models
- `explore`: candidates decided: tested, rewritten, proved

The candidates come from `registry.explore` and `registry.cli.kleis.questions.explore`, which also show the answer.
"""
