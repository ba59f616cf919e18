"""From a request to an answer.

- `read_input`: the generous reading of input
- `stepping`: one step on either evaluator
- `evaluate`: runs: what to call first
"""
